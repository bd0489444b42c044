import type { Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

import { findFolders } from "#build/tree/find-folders.ts";
import { startsNothing, tellingFiles } from "#contract/frameworks/preset-for.ts";
import { deepPaths, readFiles, surveyTree, type Tree } from "#contract/frameworks/tree.ts";
import { type FolderAbove, readWorkspaceFiles, workspaceFiles } from "#contract/frameworks/workspace.ts";

/** The rest of a longer file is irrelevant to framework detection. */
const MAX_FILE_BYTES = 512 * 1024;

/**
 * Reads the files that frameworks are detected by. Symbolic links are ignored, because they may lead anywhere,
 * except for a page, which is not read.
 * @param root the project's root directory in the release; absolute, like `release`
 */
export async function readTree(release: string, root: string): Promise<Tree> {
  const files = await readNamed(root, tellingFiles, readFiles);
  for (const { name } of await entriesOf(root)) if (!files.has(name)) files.set(name, "");
  if (!files.has(INDEX) && (await isLinkInside(release, join(root, INDEX)))) files.set(INDEX, "");
  for (const path of deepPaths(files))
    for (const [name, text] of await readDeep(root, path)) files.set(name, text);
  const tree = surveyTree(files, await readFoldersAbove(release, root));
  return startsNothing(tree) ? { ...tree, folders: await findFolders(root) } : tree;
}

const INDEX = "index.html";

/** Whether a symbolic link leads to a file of the release. */
async function isLinkInside(release: string, path: string): Promise<boolean> {
  const [base, target] = await Promise.all([release, path].map((one) => realpath(one).catch(() => null)));
  if (base == null || target == null || !target.startsWith(base + sep)) return false;
  return (await stat(target).catch(() => null))?.isFile() === true;
}

/** A project has few files with settings. Others that match are irrelevant. */
const MAX_DEEP_FILES = 50;
const MAX_READ = 300;

/** Folders whose files are not the project's own, or are not what runs. */
const otherFolders = /^(?:\.|node_modules$|vendor$|venv$|env$|dist$|build$|target$)/;

/** Reads the files of a path of `deepPaths`. Follows no symbolic link. */
async function readDeep(root: string, path: string): Promise<readonly (readonly [string, string])[]> {
  const parts = path.split("/");
  const last = parts.pop() ?? "";
  let folders: readonly string[] = [""];
  for (const part of parts) {
    const below = await Promise.all(folders.map((folder) => foldersNamed(root, folder, part)));
    folders = below.flat().slice(0, MAX_DEEP_FILES);
  }
  const found: (readonly [string, string])[] = [];
  // One after the other, because each is read into a buffer of its own.
  for (const folder of folders)
    if (found.length < MAX_READ) found.push(...(await readLast(root, folder, last)));
  return found;
}

/** The folders in a folder with a name, or all for `*`. */
async function foldersNamed(root: string, folder: string, part: string): Promise<readonly string[]> {
  const entries = (await entriesOf(join(root, folder))).filter((entry) => entry.isDirectory());
  const names = entries
    .map(({ name }) => name)
    .filter((name) => part === name || (part === "*" && !otherFolders.test(name)));
  return names.map((name) => (folder === "" ? name : `${folder}/${name}`));
}

/** Of these files, the content matters too. */
const readDeeply = /\.(?:py|go|txt|toml|ya?ml|json)$/;

async function readLast(
  root: string,
  folder: string,
  last: string,
): Promise<readonly (readonly [string, string])[]> {
  const entries = await entriesOf(join(root, folder));
  const place = (name: string) => (folder === "" ? name : `${folder}/${name}`);
  if (last === "*") {
    const folders = entries.filter((entry) => entry.isDirectory()).slice(0, MAX_DEEP_FILES);
    return folders.map(({ name }) => [place(name), ""]);
  }
  const end = last.startsWith("*") ? last.slice(1) : null;
  const found = entries
    .filter(({ name }) => (end === null ? name === last : name.endsWith(end)))
    .slice(0, MAX_DEEP_FILES);
  const texts: (readonly [string, string])[] = [];
  for (const entry of found) {
    const isRead = entry.isFile() && readDeeply.test(entry.name);
    texts.push([place(entry.name), isRead ? await readStart(join(root, folder, entry.name)) : ""]);
  }
  return texts;
}

/** The files and folders of a folder, in the order of their names. @returns nothing for a folder that cannot be read */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
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
