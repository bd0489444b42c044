import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

import { findFolders } from "#build/tree/find-folders.ts";
import { checkFiles } from "#build/tree/check-files.ts";
import { readMembers } from "#build/tree/read-members.ts";
import { readTreeFile } from "#build/tree/read-tree-file.ts";
import { readStart } from "#build/tree/read-start.ts";
import { type FileLimit, followInside } from "#build/tree/read-data-file.ts";
import { isMember } from "#project-files/frameworks/workspace-members.ts";
import { composeFiles, MAX_COMPOSE_BYTES } from "#project-files/compose/compose-files.ts";
import { MAX_DOCKERFILE_BYTES } from "#project-files/dockerfile/read-dockerfile.ts";
import { dataFiles } from "#project-files/frameworks/files/data-files.ts";
import { startsNothing, tellingFiles } from "#project-files/frameworks/preset-for.ts";
import {
  deepPaths,
  readFiles,
  surveyTree,
  type Tree,
  type TreeCompose,
} from "#project-files/frameworks/tree.ts";
import {
  type FolderAbove,
  memberPatterns,
  readWorkspaceFiles,
  workspaceFiles,
} from "#project-files/frameworks/workspace.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import type { FileProblem } from "#project-files/processes/file-problem.ts";

/** The facts about the files of a project. `notes`: which files are ignored, in sentences without a full stop. */
export type ReadTree = { readonly tree: Tree; readonly notes: readonly string[] };

/**
 * Reads the files that frameworks are detected by. Symbolic links that lead out of the release are not followed. A page is not read.
 * @param root the project's root directory in the release; a real path, like `release`
 * @param dockerfile the path of its Dockerfile, as `dockerfileOf` has it
 * @returns a problem if a file that decides something cannot be read
 */
export async function readTree(
  release: string,
  root: string,
  dockerfile: string,
): Promise<ResultOf<ReadTree, { readonly problem: FileProblem }>> {
  const checked = await checkFiles(release, root);
  if (!checked.ok) return checked;
  const files = await readNamed(release, root, tellingFiles, readFiles);
  for (const { name } of await entriesOf(root)) if (!files.has(name)) files.set(name, "");
  if (!files.has(INDEX) && (await isLinkInside(release, join(root, INDEX)))) files.set(INDEX, "");
  for (const path of deepPaths(files))
    for (const [name, text] of await readDeep(root, path)) files.set(name, text);
  const above = await readFoldersAbove(release, root);
  const isNode = files.has("package.json");
  const surveyed = {
    ...surveyTree(files, isNode ? await withMembers(release, above) : above),
    dockerfile: await readTreeFile(release, root, dockerfile, DOCKERFILE_LIMIT),
  };
  const tree = startsNothing(surveyed)
    ? { ...surveyed, folders: await findFolders(root), compose: await readComposeFile(release, root) }
    : surveyed;
  return succeed({ tree, notes: checked.value.notes });
}

/** Reads the Compose file of a project; null if it has none. */
async function readComposeFile(release: string, root: string): Promise<TreeCompose | null> {
  for (const path of composeFiles) {
    const file = await readTreeFile(release, root, path, COMPOSE_LIMIT);
    if (file === null) continue;
    if (!file.read.ok) return { path, read: file.read };
    // Loaded only now: few projects need the parser of YAML, which takes memory.
    const { readCompose } = await import("#project-files/compose/read-compose.ts");
    return { path, read: readCompose(file.read.value, path) };
  }
  return null;
}

const INDEX = "index.html";

const RIGHT_FILE = "Check that it is the right file.";
const DOCKERFILE_LIMIT: FileLimit = { bytes: MAX_DOCKERFILE_BYTES, text: "256 KiB", hint: RIGHT_FILE };
const COMPOSE_LIMIT: FileLimit = { bytes: MAX_COMPOSE_BYTES, text: "64 KiB", hint: RIGHT_FILE };

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
  // In sequence, because each is read into a buffer of its own.
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
const readDeeply = /\.(?:py|go|txt|toml|ya?ml|json|[cm]?[jt]s)$/;

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
    const files = await readNamed(release, folder, workspaceFiles, readWorkspaceFiles);
    if (files.size > 0)
      above.push({ path: relative(release, folder) || ".", inside: relative(folder, root), files });
  }
  return above;
}

/** Adds the packages of the nearest workspace that the root directory belongs to. */
async function withMembers(release: string, above: readonly FolderAbove[]): Promise<readonly FolderAbove[]> {
  const at = above.findIndex(({ inside, files }) => isMember(inside, memberPatterns(files)));
  const found = above[at];
  if (found === undefined) return above;
  const members = await readMembers(join(release, found.path), memberPatterns(found.files));
  return above.with(at, { ...found, members });
}

/** The entries of a folder with these names, with the content of the files that are read. */
async function readNamed(
  release: string,
  folder: string,
  names: readonly string[],
  read: readonly string[],
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!names.includes(name)) continue;
    const file = await fileOf(release, folder, entry);
    if (file === null && !entry.isDirectory()) continue;
    files.set(name, file !== null && read.includes(name) ? await readStart(file) : "");
  }
  return files;
}

/**
 * The file that an entry of a folder is. A symbolic link counts only for a file that decides something, and only if it leads
 * to a file in the release. @returns null if there is none
 */
export async function fileOf(release: string, folder: string, entry: Dirent): Promise<string | null> {
  const path = join(folder, entry.name);
  if (entry.isFile()) return path;
  return entry.isSymbolicLink() && dataFiles.includes(entry.name) ? await followInside(release, path) : null;
}
