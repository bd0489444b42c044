import { mkdir, readdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { reportedPrograms } from "#build/tools/server-tools.ts";

/** The agent reads the versions of these two without starting them. */
const QUICK: readonly string[] = ["node", "npm"];
const slow = new Set(reportedPrograms.filter((name) => !QUICK.includes(name)));

/**
 * Makes a PATH without the tools whose versions an agent reads when it starts. Each reading is a process: together they can
 * take longer than the agent itself, which tests start hundreds of times. All other programs stay in their order.
 * @param folder receives a folder of links in place of each folder of the PATH that has such a tool
 */
export async function quickPath(path: string, folder: string): Promise<string> {
  const parts = await Promise.all(
    path.split(delimiter).map(async (part, at) => {
      const names = await readdir(part).catch((): string[] => []);
      if (!names.some((name) => slow.has(name))) return part;
      const links = join(folder, `${at}`);
      await mkdir(links);
      const kept = names.filter((name) => !slow.has(name));
      await Promise.all(kept.map((name) => symlink(join(part, name), join(links, name))));
      return links;
    }),
  );
  return parts.join(delimiter);
}
