import { relative } from "node:path";

import { buildAgent } from "./shared/build-agent.ts";
import { buildCommand } from "./shared/build-command.ts";
import { buildWorker } from "./shared/build-worker.ts";
import { root } from "./shared/root.ts";

const build = await buildWorker();
if (!build.ok) {
  console.error(build.output);
  console.error("The Worker does not build, see above.");
  process.exit(1);
}
console.log(`${relative(root, build.bundle)}${build.isFresh ? "" : ", built before"}`);
console.log(relative(root, await buildAgent()));
console.log(relative(root, await buildCommand()));
