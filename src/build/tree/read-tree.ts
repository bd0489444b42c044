import type { Dirent } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

import { tellingFiles } from "#contract/frameworks/preset-for.ts";
import { deepPaths, readFiles, surveyTree, type Tree } from "#contract/frameworks/tree.ts";
import { type FolderAbove, readWorkspaceFiles, workspaceFiles } from "#contract/frameworks/workspace.ts";

/** The rest of a longer file is irrelevant to framework detection. */
const MAX_FILE_BYTES = 512 * 1024;

/**
 * Reads the files that frameworks are detected by. Symbolic links are ignored, because they may lead anywhere.
 * @param root the project's root directory in the release; absolute, like `release`
 */
export async function readTree(release: string, root: string): Promise<Tree> {
  const files = await readNamed(root, tellingFiles, readFiles);
  for (const path of deepPaths(files))
    for (const [name, text] of await readDeep(root, path)) files.set(name, text);
  return surveyTree(files, await readFoldersAbove(release, root));
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
  if (last === "*") {
    const folders = entries.filter((entry) => entry.isDirectory()).slice(0, MAX_DEEP_FILES);
    return folders.map(({ name }) => [place(name), ""]);
  }
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

/** Reads the files by which a workspace is found, in each folder from the root directory's parent to the release. */
async function readFoldersAbove(release: string, root: string): Promise<readonly FolderAbove[]> {
  const above: FolderAbove[] = [];
  let folder = root;
  while (folder !== release && folder.startsWith(release)) {
    folder = join(folder, "..");
    const files = await readNamed(folder, workspaceFiles, readWorkspaceFiles);
    if (files.size > 0)
      above.push({ path: relative(release, folder) || ".", inside: relative(folder, root), files });
  }
  return above;
}

/** The entries of a folder with these names, with the content of those that are read. */
async function readNamed(
  folder: string,
  names: readonly string[],
  read: readonly string[],
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!names.includes(name) || !(entry.isFile() || entry.isDirectory())) continue;
    files.set(name, entry.isFile() && read.includes(name) ? await readStart(join(folder, name)) : "");
  }
  return files;
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
