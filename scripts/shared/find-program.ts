import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Debian installs web servers here. These folders are not in the PATH of a user. */
const ROOT_FOLDERS = ["/usr/sbin", "/sbin"];

/** @returns the path of the first of these programs that is installed, or null */
export async function findProgram(names: readonly string[]): Promise<string | null> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...ROOT_FOLDERS];
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name))))
    if (await isExecutable(path)) return path;
  return null;
}

/** @returns the programs that are not installed */
export async function missingPrograms(names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => findProgram([name])));
  return names.filter((_, at) => found[at] === null);
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
