import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";

import { type FileLimit, followInside, readDataFile } from "#build/tree/read-data-file.ts";
import { type CheckedFile, checkFile, type FileRules } from "#project-files/frameworks/files/check-file.ts";
import { dataFiles } from "#project-files/frameworks/files/data-files.ts";
import { readWorkspaceFiles } from "#project-files/frameworks/workspace.ts";
import { succeed } from "#contract/lib/result.ts";
import { unusable } from "#project-files/processes/file-problem.ts";
import { definitionFiles } from "#project-files/processes/repository-files.ts";

const LIMIT: FileLimit = {
  bytes: 512 * 1024,
  text: "512 KiB",
  hint: "Check that it is the right file, and keep what is generated in other files.",
};

/** The files by which Bun is detected, which allows comments in package.json. */
const bunFiles: readonly string[] = ["bun.lock", "bun.lockb"];
/** The files above the root directory that matter only for the packages of npm. */
const npmFiles: readonly string[] = [
  "turbo.json",
  "turbo.jsonc",
  ".npmrc",
  ".yarnrc.yml",
  ...readWorkspaceFiles,
];
/** The files above the root directory that say which version of a tool to use. */
const versionFiles: readonly string[] = dataFiles.filter((name) => /version|^\.nvmrc$|mise/.test(name));

/**
 * Checks that every file which decides how a project is built can be read, in its root directory and the folders above it.
 * Otherwise a file with a mistake would be taken for one that does not exist.
 * @param root the real path of the project's root directory, like `release`
 */
export async function checkFiles(release: string, root: string): Promise<CheckedFile> {
  const own = await namesIn(root);
  const first = await checkFolder(release, root, own, dataFiles);
  if (!first.ok) return first;
  const notes = [...misspelled(own), ...first.value.notes];
  const names = own.has("package.json") ? [...npmFiles, ...versionFiles] : versionFiles;
  for (let folder = root; folder !== release && folder.startsWith(release);) {
    folder = dirname(folder);
    const above = await checkFolder(release, folder, await namesIn(folder), names);
    if (!above.ok) return above;
    notes.push(...above.value.notes);
  }
  return succeed({ notes });
}

async function checkFolder(
  release: string,
  folder: string,
  existing: ReadonlySet<string>,
  names: readonly string[],
): Promise<CheckedFile> {
  const rules = { isBun: bunFiles.some((name) => existing.has(name)) };
  const notes: string[] = [];
  for (const name of names) {
    if (!existing.has(name)) continue;
    const checked = await checkOne(release, folder, name, rules);
    if (!checked.ok) return checked;
    notes.push(...checked.value.notes);
  }
  return succeed({ notes });
}

async function checkOne(
  release: string,
  folder: string,
  name: string,
  rules: FileRules,
): Promise<CheckedFile> {
  const path = join(folder, name);
  const shown = relative(release, path);
  const place = await followInside(release, path);
  if (place === null)
    return unusable(
      `${shown} is a symbolic link that leads to no file of the repository`,
      `Put the file ${name} itself there.`,
    );
  const read = await readDataFile(dirname(place), basename(place), shown, LIMIT);
  return read.ok ? checkFile(shown, name, read.value ?? "", rules) : read;
}

/** Names that look like those of files which are read, such as `procfile` or `Procfile.txt`. */
function misspelled(existing: ReadonlySet<string>): readonly string[] {
  const all = [...dataFiles, ...definitionFiles].filter((name) => !existing.has(name));
  return [...existing].toSorted().flatMap((name) => {
    const lower = name.toLowerCase();
    const meant = all.find((one) => lower === one.toLowerCase() || lower === `${one.toLowerCase()}.txt`);
    return meant === undefined ? [] : [`${name} is not read: the name of this file must be exactly ${meant}`];
  });
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(folder));
}
