import { open } from "node:fs/promises";
import { join } from "node:path";

import { READ_FILE } from "#node/open-flags.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type FileProblem, unusable } from "#contract/processes/file-problem.ts";
import {
  type DefinitionFile,
  definitionFiles,
  readRepositoryFiles,
  type RepositoryFiles,
} from "#contract/processes/repository-files.ts";

/** Far more than such a file has. */
const MAX_BYTES = 64 * 1024;

/**
 * Reads what a repository says about itself in gantry.json and its Procfile. Follows no symbolic link, because it may lead
 * anywhere.
 * @param root the real path of the project's root directory
 */
export async function readRepository(
  root: string,
): Promise<ResultOf<RepositoryFiles, { readonly problem: FileProblem }>> {
  const texts = new Map<DefinitionFile, string>();
  for (const name of definitionFiles) {
    const read = await readSmall(join(root, name), name);
    if (!read.ok) return read;
    if (read.value !== null) texts.set(name, read.value);
  }
  return readRepositoryFiles(texts);
}

/** @returns null if the file does not exist */
async function readSmall(
  path: string,
  name: DefinitionFile,
): Promise<ResultOf<string | null, { readonly problem: FileProblem }>> {
  const found = await lstatOrNull(path);
  if (found === null) return succeed(null);
  const put = `Put the file ${name} itself into the root directory.`;
  if (found.isSymbolicLink()) return unusable(`${name} is a symbolic link, which is not followed`, put);
  if (!found.isFile()) return unusable(`${name} is not a file`, put);
  const file = await open(path, READ_FILE);
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES) return unusable(`${name} is larger than 64 KiB`, "Put long commands into scripts.");
    return succeed(await file.readFile("utf8"));
  } finally {
    await file.close();
  }
}
