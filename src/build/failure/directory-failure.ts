import { readdir } from "node:fs/promises";

import { head, makeFailure } from "#build/failure/make-failure.ts";
import { LINE_ENDS } from "#build/failure/shell-failures.ts";
import type { InsideCheck } from "#build/tree/folder-inside.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";

type NoFolder = Exclude<InsideCheck, { kind: "inside" }>;

/** The root directory is not a folder of the repository. */
export function rootFailure(name: string, check: NoFolder): DeploymentFailure {
  return directoryFailure("root", name, check, null);
}

/**
 * The output directory is not a folder of the release.
 * @param root the folder in which the commands ran
 */
export async function outputFailure(name: string, check: NoFolder, root: string): Promise<DeploymentFailure> {
  return directoryFailure("output", name, check, await foldersHint(root, name));
}

/** @param hint what to do about it */
function directoryFailure(
  what: "root" | "output",
  name: string,
  check: NoFolder,
  hint: string | null,
): DeploymentFailure {
  const why = {
    missing: what === "root" ? "is not in the repository" : "does not exist after the build",
    not_a_folder: "is not a folder",
    outside: "leads out of the release through a symbolic link",
  }[check.kind];
  return makeFailure("build_failed", "build", `the ${what} directory \`${name}\` ${why}`, undefined, hint);
}

const MAX_NAMED_FOLDERS = 10;
const MAX_NAME_LENGTH = 30;

/** Names the folders that could be the output directory; `null` if there is none. */
async function foldersHint(root: string, wanted: string): Promise<string | null> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const [first = ""] = wanted.split("/");
  if (entries.some(({ name }) => name === `${first}\r`))
    return `The build created \`${first}\r\`, with a carriage return at the end. ${LINE_ENDS}`;
  const names = entries
    .filter((entry) => entry.isDirectory() && !/^(?:node_modules|vendor|\.git)$/.test(entry.name))
    .map(({ name }) => `\`${head(name, MAX_NAME_LENGTH)}\``)
    .toSorted();
  if (names.length === 0) return null;
  const more = names.length > MAX_NAMED_FOLDERS ? " and others" : "";
  return `The folders after the build are ${names.slice(0, MAX_NAMED_FOLDERS).join(", ")}${more}. Set output_directory to the folder to publish.`;
}
