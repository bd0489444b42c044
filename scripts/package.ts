import { join, relative } from "node:path";

import { buildCommand } from "./shared/build-command.ts";
import { Problem } from "./shared/problem.ts";
import { root } from "./shared/root.ts";
import { runCommand } from "./shared/run-command.ts";
import { noOptions, runScript } from "./shared/script.ts";

await runScript(
  {
    usage: "npm run package",
    summary: "Builds the npm package of the gantry command, for npx and npm publish, into build/.",
    options: noOptions,
  },
  async () => {
    const folder = await buildCommand();
    const build = join(root, "build");
    const packed = await runCommand(["npm", "pack", folder, "--pack-destination", build, "--silent"]);
    if (packed.code !== 0) throw new Problem(`npm pack failed:\n${packed.output.trim()}`);
    console.log(relative(root, join(build, packed.output.trim())));
  },
);
