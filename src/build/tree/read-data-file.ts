import { type FileHandle, open, realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";

import { decodeText } from "#build/tree/decode-text.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type FileProblem, type Unusable, unusable } from "#project-files/processes/file-problem.ts";
import { hasCode } from "#node/has-code.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import { READ_FILE } from "#node/open-flags.ts";

/** The text of a file, or why it cannot be read. `null`: the file does not exist. */
export type ReadFile = ResultOf<string | null, { readonly problem: FileProblem }>;

/** The size that no file of its kind needs, and what to do about a larger one. */
export type FileLimit = { readonly bytes: number; readonly text: string; readonly hint: string };

/**
 * Reads a text of a repository. A file that exists and cannot be read is a problem, because its content decides something.
 * @param folder the real path of the file's folder
 * @param shown the path of the file in messages
 */
export async function readDataFile(
  folder: string,
  name: string,
  shown: string,
  limit: FileLimit,
): Promise<ReadFile> {
  const path = join(folder, name);
  const found = await lstatOrNull(path);
  if (found === null) return succeed(null);
  const put = `Put the file ${name} itself there.`;
  if (found.isSymbolicLink()) return unusable(`${shown} is a symbolic link, which is not followed`, put);
  if (found.isDirectory()) return unusable(`${shown} is a folder, and not a file`, put);
  if (!found.isFile()) return unusable(`${shown} is not a file`, put);
  const file = await openOrProblem(path, shown);
  if (!file.ok) return file;
  try {
    const { size } = await file.value.stat();
    if (size > limit.bytes) return unusable(`${shown} is larger than ${limit.text}`, limit.hint);
    return readText(shown, await file.value.readFile());
  } finally {
    await file.value.close();
  }
}

/** The file that a symbolic link leads to, if it is in the release. @returns null if it leads elsewhere */
export async function followInside(release: string, path: string): Promise<string | null> {
  const target = await realpath(path).catch(() => null);
  if (target === null) return null;
  const inside = relative(release, target);
  return inside === "" || inside === ".." || inside.startsWith(`..${sep}`) ? null : target;
}

function readText(shown: string, bytes: Buffer): ReadFile {
  const { text, wrong } = decodeText(bytes);
  if (wrong === null) return succeed(text);
  const isUtf16 = wrong.what.includes("UTF-16");
  const windows = isUtf16
    ? " Windows PowerShell writes UTF-16 with `>`: use `| Out-File -Encoding utf8` instead."
    : "";
  return unusable(
    `${shown} cannot be read: line ${wrong.line} ${wrong.what}`,
    `Save ${basename(shown)} as UTF-8, and commit it.${windows}`,
  );
}

async function openOrProblem(
  path: string,
  shown: string,
): Promise<ResultOf<FileHandle, Omit<Unusable, "ok">>> {
  try {
    return succeed(await open(path, READ_FILE));
  } catch (error) {
    const why = hasCode(error, "EACCES", "EPERM") ? "its permissions do not allow it" : String(error);
    return unusable(`${shown} cannot be read: ${why}`, "Correct the permissions of the file.");
  }
}
