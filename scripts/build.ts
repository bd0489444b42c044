import { relative } from "node:path";

import { buildAgent } from "./shared/build-agent.ts";
import { buildCommand } from "./shared/build-command.ts";
import { buildWorker } from "./shared/build-worker.ts";
import { Problem } from "./shared/problem.ts";
import { root } from "./shared/root.ts";
import { noOptions, runScript } from "./shared/script.ts";

await runScript(
  {
    usage: "npm run build",
    summary: "Builds the Worker, the agent and the gantry command into build/.",
    options: noOptions,
  },
  async () => {
    const build = await buildWorker();
    if (!build.ok) throw new Problem(`The Worker does not build:\n${build.output}`);
    console.log(`${relative(root, build.bundle)}${build.isFresh ? "" : " (unchanged)"}`);
    console.log(relative(root, await buildAgent()));
    console.log(relative(root, await buildCommand()));
  },
);
