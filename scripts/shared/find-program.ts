import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Where web servers are on Debian; a user's own PATH does not have it. */
const ROOT_FOLDERS = ["/usr/sbin", "/sbin"];

/** @returns the path of the first of these programs that is installed; `null` where none of them is installed */
export async function findProgram(names: readonly string[]): Promise<string | null> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...ROOT_FOLDERS];
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name))))
    if (await isExecutable(path)) return path;
  return null;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
