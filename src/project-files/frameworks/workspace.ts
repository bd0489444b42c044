import {
  type PackageManager,
  managerSettings,
  packageManagerFiles,
  packageManagerOf,
  toolCommand,
  withLinker,
} from "#project-files/frameworks/package-manager.ts";
import { readPnpmWorkspace } from "#project-files/frameworks/files/read-pnpm-workspace.ts";
import { objectOf } from "#contract/lib/json-object.ts";
import { parseRelaxedObject } from "#contract/lib/relaxed-json.ts";
import { buildMembers, type Member, packagesToBuild } from "#project-files/frameworks/workspace-build.ts";
import { isMember } from "#project-files/frameworks/workspace-members.ts";

/** A folder above the project's root directory, up to the repository's root. */
export type FolderAbove = {
  /** Its path in the repository. */
  readonly path: string;
  /** The root directory's path in it. */
  readonly inside: string;
  /** The files of `workspaceFiles` that exist, with the content of those in `readWorkspaceFiles`. */
  readonly files: ReadonlyMap<string, string>;
  /** The packages of the workspace, if the folder is its root. */
  readonly members?: readonly Member[];
};

/** The root of a workspace, where the packages of all its members are installed. */
export type Workspace = { readonly path: string; readonly packageManager: PackageManager };

/** The files whose content tells which folders belong to a workspace. */
export const readWorkspaceFiles: readonly string[] = ["package.json", ...managerSettings];

/** The files by which a workspace is built with Turborepo. */
const turboFiles = ["turbo.json", "turbo.jsonc"];

/** The files of a folder above the root directory that matter. */
export const workspaceFiles: readonly string[] = [
  ...new Set([...packageManagerFiles, ...readWorkspaceFiles, ...turboFiles]),
];

/**
 * Finds the workspace that the project's root directory belongs to.
 * @param above the nearest first
 */
export function workspaceOf(above: readonly FolderAbove[]): Workspace | null {
  for (const { path, inside, files } of above) {
    if (!isMember(inside, memberPatterns(files))) continue;
    const manifest = parseRelaxedObject(files.get("package.json") ?? "");
    const isPnpm = files.has("pnpm-workspace.yaml");
    const usual: PackageManager = { name: isPnpm ? "pnpm" : "npm", isLocked: false };
    const found = packageManagerOf(new Set(files.keys()), manifest["packageManager"]) ?? usual;
    return { path, packageManager: withLinker(found, files, manifest) };
  }
  return null;
}

/** The patterns of the folders that belong to the workspace with these files at its root. */
export function memberPatterns(files: ReadonlyMap<string, string>): readonly string[] {
  const pnpm = files.get("pnpm-workspace.yaml");
  if (pnpm !== undefined) return pnpmMembers(pnpm);
  return npmMembers(parseRelaxedObject(files.get("package.json") ?? "")["workspaces"]);
}

/**
 * The command that builds the packages of the workspace that an app depends on: with Turborepo if the workspace uses it,
 * and otherwise one after the other. @returns null if there are none
 */
export function buildOfMembers(workspace: Workspace | null, above: readonly FolderAbove[]): string | null {
  const folder = above.find(({ path }) => path === workspace?.path);
  if (workspace === null || folder?.members === undefined) return null;
  const { files, inside, members } = folder;
  const paths = packagesToBuild(members, inside);
  if (paths.length === 0) return null;
  const root = parseRelaxedObject(files.get("package.json") ?? "");
  const dependencies = { ...objectOf(root["dependencies"]), ...objectOf(root["devDependencies"]) };
  const app = members.find(({ path }) => path === inside);
  const name = parseRelaxedObject(app?.text ?? "")["name"];
  // Turborepo refuses a workspace that does not name its package manager.
  const hasTurbo =
    turboFiles.some((file) => files.has(file)) &&
    "turbo" in dependencies &&
    typeof root["packageManager"] === "string";
  if (hasTurbo && typeof name === "string" && /^[\w@./-]+$/.test(name))
    return turboCommand(workspace.packageManager, `run build --filter=${name}^...`);
  return buildMembers(workspace.packageManager, inside, paths);
}

/** Yarn 2 and newer find a program of the workspace's root only if they are told so. */
function turboCommand(manager: PackageManager, command: string): string {
  return manager.name === "yarn" ? `yarn run -T turbo ${command}` : toolCommand(manager, `turbo ${command}`);
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
