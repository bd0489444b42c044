import { join } from "node:path";

import { Problem } from "./problem.ts";
import { root } from "./root.ts";
import { runCommand } from "./run-command.ts";

/** Makes the file of an npm package in build/. @returns its path */
export async function packFolder(folder: string): Promise<string> {
  const build = join(root, "build");
  const packed = await runCommand(["npm", "pack", folder, "--pack-destination", build, "--silent"]);
  if (packed.code !== 0) throw new Problem(`npm pack failed:\n${packed.output.trim()}`);
  return join(build, packed.output.trim());
}
