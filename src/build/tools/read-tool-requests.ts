import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

import { readStart } from "#build/tree/read-start.ts";
import { fileOf } from "#build/tree/read-tree.ts";
import { findRequests, type ToolFolder, toolFiles } from "#project-files/frameworks/tools/find-requests.ts";
import type { ToolRequest } from "#project-files/frameworks/tools/tool-request.ts";
import type { Tool } from "#project-files/frameworks/tools/tool.ts";

/**
 * Reads which versions of tools a repository asks for, in the project's root directory and the folders above it.
 * Symbolic links that lead out of the release are not followed.
 * @param root the project's root directory in the release; absolute, like `release`
 */
export async function readToolRequests(
  release: string,
  root: string,
): Promise<ReadonlyMap<Tool, readonly ToolRequest[]>> {
  const folders: ToolFolder[] = [];
  for (let folder = root; ; folder = join(folder, "..")) {
    folders.push({ path: relative(release, folder), files: await readToolFiles(release, folder) });
    if (folder === release || !folder.startsWith(`${release}/`)) break;
  }
  return findRequests(folders);
}

async function readToolFiles(release: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = toolFiles.includes(entry.name) ? await fileOf(release, folder, entry) : null;
    if (file !== null) files.set(entry.name, await readStart(file));
  }
  return files;
}
