import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

import { packageManagerFiles } from "#contract/frameworks/package-manager.ts";
import { tellingFiles } from "#contract/frameworks/preset-for.ts";
import { readFiles, surveyTree, type Tree } from "#contract/frameworks/tree.ts";

/** More of a file says nothing about a framework. */
const MAX_FILE_BYTES = 512 * 1024;

/**
 * Reads what frameworks go by out of a release's files. Symbolic links count as not there: they may lead anywhere.
 * @param root the project's root directory in the release; absolute, as `release`
 */
export async function readTree(release: string, root: string): Promise<Tree> {
  const files = new Map<string, string>();
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const { name } = entry;
    if (!tellingFiles.includes(name) || !(entry.isFile() || entry.isDirectory())) continue;
    const tells = entry.isFile() && readFiles.some((one) => one === name);
    files.set(name, tells ? await readStart(join(root, name)) : "");
  }
  return surveyTree(files, await lockFilesAbove(release, root));
}

/** A workspace keeps one lock file for all its packages, in a folder above them. */
async function lockFilesAbove(release: string, root: string): Promise<ReadonlySet<string>> {
  let folder = root;
  while (folder !== release && folder.startsWith(release)) {
    folder = join(folder, "..");
    const names = await readdir(folder);
    const found = names.filter((name) => packageManagerFiles.includes(name));
    if (found.length > 0) return new Set(found);
  }
  return new Set();
}

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_FILE_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
