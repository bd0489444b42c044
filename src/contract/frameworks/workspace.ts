import {
  type PackageManager,
  packageManagerFiles,
  packageManagerOf,
} from "#contract/frameworks/package-manager.ts";
import { objectOf, parseObject } from "#contract/lib/json-object.ts";
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
export const readWorkspaceFiles: readonly string[] = ["package.json", "pnpm-workspace.yaml"];

/** The files of a folder above the root directory that matter. */
export const workspaceFiles: readonly string[] = [...packageManagerFiles, ...readWorkspaceFiles];

/**
 * Finds the workspace that the project's root directory belongs to.
 * @param above the nearest first
 */
export function workspaceOf(above: readonly FolderAbove[]): Workspace | null {
  for (const { path, inside, files } of above) {
    const manifest = parseObject(files.get("package.json") ?? "");
    const pnpm = files.get("pnpm-workspace.yaml");
    const members = pnpm === undefined ? npmMembers(manifest["workspaces"]) : pnpmMembers(pnpm);
    if (!isMember(inside, members)) continue;
    const usual: PackageManager = { name: pnpm === undefined ? "npm" : "pnpm", isLocked: false };
    return {
      path,
      packageManager: packageManagerOf(new Set(files.keys()), manifest["packageManager"]) ?? usual,
    };
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

/** The items of the list `packages`, as people write it: one a line, or in brackets. */
function pnpmMembers(yaml: string): readonly string[] {
  const lines = yaml.split("\n").map((line) =>
    line
      .trimEnd()
      .replace(/(?:^|[ \t])#.*$/, "")
      .trimEnd(),
  );
  const at = lines.findIndex((line) => /^["']?packages["']?:/.test(line));
  if (at === -1) return [];
  const inBrackets = /^[^[]*\[([^\]]*)\]$/.exec(lines[at] ?? "")?.[1];
  if (inBrackets !== undefined) return inBrackets.split(",").map(unquoted);
  const rest = lines.slice(at + 1).filter((line) => line !== "");
  const end = rest.findIndex((line) => !/^[ \t]*-[ \t]/.test(line));
  return rest.slice(0, end === -1 ? rest.length : end).map((line) => unquoted(line.replace(/^[ \t]*-/, "")));
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, "$2");
}
