import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

import { packageManagerFiles } from "#contract/frameworks/package-manager.ts";
import { tellingFiles } from "#contract/frameworks/preset-for.ts";
import { readFiles, surveyTree, type Tree } from "#contract/frameworks/tree.ts";

/** The rest of a longer file is irrelevant to framework detection. */
const MAX_FILE_BYTES = 512 * 1024;

/**
 * Reads the files that frameworks are detected by. Symbolic links are ignored, because they may lead anywhere.
 * @param root the project's root directory in the release; absolute, like `release`
 */
export async function readTree(release: string, root: string): Promise<Tree> {
  const files = new Map<string, string>();
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const { name } = entry;
    if (!tellingFiles.includes(name) || !(entry.isFile() || entry.isDirectory())) continue;
    const isRead = entry.isFile() && readFiles.some((one) => one === name);
    files.set(name, isRead ? await readStart(join(root, name)) : "");
  }
  return surveyTree(files, await lockFilesAbove(release, root));
}

/** Finds the lock files of a workspace, which has one for all packages in a folder above them. */
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
