import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { head, makeFailure } from "#build/failure/make-failure.ts";
import { hasIndex } from "#build/tree/check-site.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";

const MAX_NAMED = 8;
const MAX_NAME_LENGTH = 40;

/** Where builds usually write, in order of precedence. */
const usual = [
  ...[
    "dist",
    "build",
    "out",
    "public",
    "_site",
    "www",
    "site",
    "output",
    ".output/public",
    "docs/dist",
    "doc_build",
  ],
  ...["public_html", "html", "web", "docs"],
];
/** Where they write the pages inside of it. */
const parts = ["client", "public", "browser", "static", "spa", "html", "web", "www"];

function isForeign(name: string): boolean {
  return (
    /^(?:node_modules|vendor|coverage|src|tests?|target|venv)$/.test(name) ||
    (name.startsWith(".") && name !== ".output")
  );
}

/** The folders at the top of a project, before its build. */
export async function listFolders(root: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
}

/** The folder of the pages that a build has made. `looked`: the folders that were looked at, if none has a page. */
export type FoundOutput =
  | { readonly kind: "found"; readonly folder: string }
  | { readonly kind: "missing"; readonly looked: readonly string[] };

/**
 * Finds the folder with the pages that a build has made: first a folder that did not exist before, then another folder
 * with a usual name, then the root directory itself.
 * @param before the folders before the build
 * @param expected the folder that the files name; `.` if they name none
 */
export async function findOutput(
  root: string,
  before: ReadonlySet<string>,
  expected: string,
): Promise<FoundOutput> {
  const after = await listFolders(root);
  const created = [...after].filter((name) => !before.has(name) && !isForeign(name)).toSorted();
  const top = (path: string) => path.split("/")[0] ?? path;
  const outer = [
    ...(expected === "." ? [] : [expected]),
    ...usual.filter((path) => created.includes(top(path))),
    ...created,
    ...usual.filter((path) => after.has(top(path))),
  ];
  const folders = [...new Set(outer)];
  for (const folder of folders) {
    if (await hasIndex(join(root, folder))) return { kind: "found", folder };
    const isNew = created.includes(top(folder));
    const inner = isNew ? await innerFolders(root, folder) : [];
    for (const path of inner) if (await hasIndex(join(root, path))) return { kind: "found", folder: path };
  }
  return (await hasIndex(root)) ? { kind: "found", folder: "." } : { kind: "missing", looked: folders };
}

/** The folders in a new folder that may have the pages: folders with a usual name, or its only folder. */
async function innerFolders(root: string, folder: string): Promise<readonly string[]> {
  const names = [...(await listFolders(join(root, folder)))];
  const found = names.length === 1 ? names : parts.filter((name) => names.includes(name));
  const inner = found.map((name) => `${folder}/${name}`);
  if (names.length !== 1) return inner;
  // Such as dist/NAME/browser of Angular.
  const deeper = await listFolders(join(root, folder, names[0] ?? ""));
  return [
    ...inner,
    ...parts.filter((name) => deeper.has(name)).map((name) => `${inner[0] ?? folder}/${name}`),
  ];
}

/** The failure of a build that made no site. */
export function noOutput({ looked }: { readonly looked: readonly string[] }): DeploymentFailure {
  const created = looked.slice(0, MAX_NAMED).map((name) => `\`${head(name, MAX_NAME_LENGTH)}\``);
  const where = created.length === 0 ? "it created no folder" : `looked in ${created.join(", ")}`;
  return makeFailure(
    "build_failed",
    "build",
    `the build made no site: no folder has an index.html (${where})`,
    undefined,
    "Set output_directory to the folder that the build writes to: it is then published also without an index.html. For an app that answers requests itself, add a script start to package.json, or define the process web, such as `web: node server.js` in a Procfile.",
  );
}
