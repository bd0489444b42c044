import type { Dirent } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

import { packageManagerFiles } from "#contract/frameworks/package-manager.ts";
import { tellingFiles } from "#contract/frameworks/preset-for.ts";
import { deepPaths, readFiles, surveyTree, type Tree } from "#contract/frameworks/tree.ts";

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
  for (const path of deepPaths(files))
    for (const [name, text] of await readDeep(root, path)) files.set(name, text);
  return surveyTree(files, await lockFilesAbove(release, root));
}

/** A project has few files with settings. Others that match are irrelevant. */
const MAX_DEEP_FILES = 50;

/** Reads the files of a path of `deepPaths`. Follows no symbolic link. */
async function readDeep(root: string, path: string): Promise<readonly (readonly [string, string])[]> {
  const parts = path.split("/");
  const last = parts.pop() ?? "";
  let folder = root;
  for (const part of parts) {
    const entries = await entriesOf(folder);
    if (!entries.some((entry) => entry.name === part && entry.isDirectory())) return [];
    folder = join(folder, part);
  }
  const entries = await entriesOf(folder);
  const place = (name: string) => [...parts, name].join("/");
  if (last !== "*.py") return entries.some(({ name }) => name === last) ? [[place(last), ""]] : [];
  const found = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".py"))
    .slice(0, MAX_DEEP_FILES);
  return await Promise.all(
    found.map(async ({ name }) => [place(name), await readStart(join(folder, name))] as const),
  );
}

/** @returns nothing for a folder that cannot be read */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
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

/** Reads the beginning of a file, which is all that is relevant of a long one. */
export async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES);
    const { bytesRead } = await file.read(buffer, 0, MAX_FILE_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
