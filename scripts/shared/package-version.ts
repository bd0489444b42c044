import { readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { root } from "./root.ts";

const Manifest = z.object({ version: z.string() });

/** The version in package.json. Tests keep the versions of the agent and the command equal to it. */
export async function packageVersion(): Promise<string> {
  return Manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8"))).version;
}
