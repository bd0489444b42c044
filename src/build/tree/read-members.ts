import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { readStart } from "#build/tree/read-start.ts";
import { isMember } from "#project-files/frameworks/workspace-members.ts";
import type { Member } from "#project-files/frameworks/workspace-build.ts";

/** Packages are not nested more deeply, and no workspace has more folders outside of them. */
const DEEPEST = 5;
const MOST_FOLDERS = 5_000;

/**
 * Reads the package.json of each package of a workspace. Follows no symbolic link.
 * @param root the workspace's root
 * @param patterns of the folders that belong to it
 */
export async function readMembers(root: string, patterns: readonly string[]): Promise<readonly Member[]> {
  const members: Member[] = [];
  const open = [""];
  let count = 0;
  for (let path = open.shift(); path !== undefined && count < MOST_FOLDERS; path = open.shift()) {
    count += 1;
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
    const hasManifest = entries.some((entry) => entry.name === "package.json" && entry.isFile());
    if (hasManifest && path !== "" && isMember(path, patterns))
      members.push({ path, text: await readStart(join(root, path, "package.json")) });
    if (path.split("/").length >= DEEPEST) continue;
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
        open.push(path === "" ? entry.name : `${path}/${entry.name}`);
  }
  return members;
}
