// Makes the command's package: the file that `npx` runs and `npm publish` takes.
import { join, relative } from "node:path";

import { buildCommand } from "./shared/build-command.ts";
import { root } from "./shared/root.ts";
import { runCommand } from "./shared/run-command.ts";

const folder = await buildCommand();
const build = join(root, "build");
const packed = await runCommand(["npm", "pack", folder, "--pack-destination", build, "--silent"]);
console.log(packed.code === 0 ? relative(root, join(build, packed.output.trim())) : packed.output);
process.exitCode = packed.code;
