import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The files of a release, as an installation finds or leaves them. Paths are relative to the release. */
export type Survey = {
  /** Every file and folder, except the content of folders named `node_modules`. */
  readonly paths: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
  /** Whether every folder was listed. */
  readonly isComplete: boolean;
};

/** A repository has no folders that are nested more deeply, and no more files. */
const DEEPEST = 100;
const MOST_PATHS = 1_000_000;

/**
 * Lists the files of a release without following links.
 * @param release the real path
 * @param before an earlier survey: a folder that it does not have is listed without its content
 */
export async function surveyRelease(release: string, signal: AbortSignal, before?: Survey): Promise<Survey> {
  const paths = new Set<string>();
  const links = new Set<string>();
  const folders: string[] = [""];
  let isComplete = true;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (signal.aborted || paths.size > MOST_PATHS) return { paths, links, isComplete: false };
    const entries = await readdir(join(release, folder), { withFileTypes: true }).catch(() => null);
    if (entries === null) isComplete = false;
    for (const entry of entries ?? []) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      paths.add(path);
      if (entry.isSymbolicLink()) links.add(path);
      const isNew = before !== undefined && !before.paths.has(path);
      if (!entry.isDirectory() || isNew || isNodeModules(path)) continue;
      if (path.split("/").length > DEEPEST) isComplete = false;
      else folders.push(path);
    }
  }
  return { paths, links, isComplete };
}

/** Whether this is a folder of installed packages, which a repository rarely has itself. */
export function isNodeModules(path: string): boolean {
  return path === "node_modules" || path.endsWith("/node_modules");
}

/** The new files and folders, without the content of new folders. */
export function newPaths(before: Survey, after: Survey): readonly string[] {
  const isNew = (path: string) => !before.paths.has(path);
  return [...after.paths].filter((path) => {
    const end = path.lastIndexOf("/");
    return isNew(path) && (end === -1 || !isNew(path.slice(0, end)));
  });
}
