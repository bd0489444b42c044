import { relative } from "node:path";

import { buildCommand } from "./shared/build-command.ts";
import { packFolder } from "./shared/pack-folder.ts";
import { root } from "./shared/root.ts";
import { noOptions, runScript } from "./shared/script.ts";

await runScript(
  {
    usage: "npm run package",
    summary: "Builds the npm package of the gantry command, for npx and npm publish, into build/.",
    options: noOptions,
  },
  async () => {
    console.log(relative(root, await packFolder(await buildCommand())));
  },
);
