import { type FileLimit, readDataFile } from "#build/tree/read-data-file.ts";
import type { ResultOf } from "#contract/lib/result.ts";
import type { FileProblem } from "#project-files/processes/file-problem.ts";
import {
  type DefinitionFile,
  definitionFiles,
  readRepositoryFiles,
  type RepositoryFiles,
} from "#project-files/processes/repository-files.ts";

/** Far more than such a file has. */
const LIMIT: FileLimit = { bytes: 64 * 1024, text: "64 KiB", hint: "Put long commands into scripts." };

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
    const read = await readDataFile(root, name, name, LIMIT);
    if (!read.ok) return read;
    if (read.value !== null) texts.set(name, read.value);
  }
  return readRepositoryFiles(texts);
}
