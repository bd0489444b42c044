import { relative } from "node:path";

import { buildAgent } from "./parts/build-agent.ts";
import { buildCommand } from "./parts/build-command.ts";
import { buildWorker } from "./parts/build-worker.ts";
import { root } from "./parts/root.ts";

const build = await buildWorker();
if (!build.ok) {
  console.error(build.output);
  console.error("The Worker does not build, see above.");
  process.exit(1);
}
console.log(`${relative(root, build.bundle)}${build.isFresh ? "" : ", built before"}`);
console.log(relative(root, await buildAgent()));
console.log(relative(root, await buildCommand()));
