import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** A folder with one of these is an app or a site of its own. */
const telling = new Set([
  ...[
    "package.json",
    "index.html",
    "requirements.txt",
    "pyproject.toml",
    "manage.py",
    "composer.json",
    "Gemfile",
  ],
  ...["go.mod", "hugo.toml", "mkdocs.yml", "_config.yml", "Procfile"],
]);

/** Folders that have no app, or the packages of one. */
const others =
  /^(?:\..*|node_modules|vendor|bower_components|venv|env|target|tests?|__tests__|spec|examples?|samples?|fixtures|scripts|tools|coverage|templates|views|layouts|_layouts|_includes|partials)$/;

const MAX_FOLDERS = 8;
const MAX_FOUND = 50;
const MAX_LISTED = 200;

/**
 * The folders of a repository without an app at its top that could be its root directory, or its output directory: up to
 * two levels deep. Follows no symbolic link.
 */
export async function findFolders(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const outer = await foldersIn(root, "");
  for (const folder of outer) {
    if (await isTelling(root, folder)) found.push(folder);
    else
      for (const inner of await foldersIn(root, folder)) if (await isTelling(root, inner)) found.push(inner);
    if (found.length >= MAX_FOUND) break;
  }
  return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_FOLDERS);
}

/** Folders at the top and the folders of a workspace's apps come before others. */
function rank(folder: string): number {
  return folder.includes("/") && !folder.startsWith("apps/") ? 1 : 0;
}

async function foldersIn(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !others.test(entry.name))
    .map(({ name }) => (folder === "" ? name : `${folder}/${name}`))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .slice(0, MAX_LISTED);
}

async function isTelling(root: string, folder: string): Promise<boolean> {
  const names = await readdir(join(root, folder)).catch(() => []);
  return names.some((name) => telling.has(name));
}
