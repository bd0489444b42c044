import {
  type PackageManager,
  managerSettings,
  packageManagerFiles,
  packageManagerOf,
  withLinker,
} from "#contract/frameworks/package-manager.ts";
import { readPnpmWorkspace } from "#contract/frameworks/files/read-pnpm-workspace.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseRelaxedObject } from "#contract/lib/relaxed-json.ts";
import { isMember } from "#contract/frameworks/workspace-members.ts";

/** A folder above the project's root directory, up to the repository's root. */
export type FolderAbove = {
  /** Its path in the repository. */
  readonly path: string;
  /** The root directory's path in it. */
  readonly inside: string;
  /** The files of `workspaceFiles` that exist, with the content of those in `readWorkspaceFiles`. */
  readonly files: ReadonlyMap<string, string>;
};

/** The root of a workspace, where the packages of all its members are installed. */
export type Workspace = { readonly path: string; readonly packageManager: PackageManager };

/** The files whose content tells which folders belong to a workspace. */
export const readWorkspaceFiles: readonly string[] = ["package.json", ...managerSettings];

/** The files of a folder above the root directory that matter. */
export const workspaceFiles: readonly string[] = [
  ...new Set([...packageManagerFiles, ...readWorkspaceFiles]),
];

/**
 * Finds the workspace that the project's root directory belongs to.
 * @param above the nearest first
 */
export function workspaceOf(above: readonly FolderAbove[]): Workspace | null {
  for (const { path, inside, files } of above) {
    const manifest = parseRelaxedObject(files.get("package.json") ?? "");
    const pnpm = files.get("pnpm-workspace.yaml");
    const members = pnpm === undefined ? npmMembers(manifest["workspaces"]) : pnpmMembers(pnpm);
    if (!isMember(inside, members)) continue;
    const usual: PackageManager = { name: pnpm === undefined ? "npm" : "pnpm", isLocked: false };
    const found = packageManagerOf(new Set(files.keys()), manifest["packageManager"]) ?? usual;
    return { path, packageManager: withLinker(found, files, manifest) };
  }
  return null;
}

/** The package manager of a repository whose root directory is in no workspace. A lock file above is not its own. */
export function managerAbove(above: readonly FolderAbove[]): PackageManager | null {
  const managers = above.map(({ files }) => packageManagerOf(new Set(files.keys()), null));
  const found = managers.find((manager) => manager !== null) ?? null;
  return found === null ? null : { ...found, isLocked: false };
}

function npmMembers(workspaces: unknown): readonly string[] {
  const listed = Array.isArray(workspaces) ? workspaces : objectOf(workspaces)["packages"];
  return Array.isArray(listed) ? listed.filter((one) => typeof one === "string") : [];
}

/** A file that cannot be read is refused before this. */
function pnpmMembers(yaml: string): readonly string[] {
  const read = readPnpmWorkspace(yaml);
  return read.ok ? read.value : [];
}
