import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { head, makeFailure } from "#build/failure/make-failure.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";

const INDEX = "index.html";
const MAX_NAMED = 8;
const MAX_NAME_LENGTH = 40;

/**
 * Checks that a folder is a site before it is published, so that source code is never published by mistake.
 * @param folder the real path of the output directory @param name the output directory as set or detected
 * @param root the folder in which the commands ran @returns why the folder is not published; null if it has an
 * index.html
 */
export async function checkSite(
  folder: string,
  name: string,
  root: string,
): Promise<DeploymentFailure | null> {
  if (await hasIndex(folder)) return null;
  const names = (await readdir(folder).catch(() => [])).filter((one) => !one.startsWith(".")).toSorted();
  const other = names.find((one) => /^index\.x?html?$/i.test(one));
  const inside = await folderWithIndex(folder, names);
  const shown = names.slice(0, MAX_NAMED).map((one) => `\`${head(one, MAX_NAME_LENGTH)}\``);
  const content =
    shown.length === 0
      ? "it is empty"
      : `it has ${shown.join(", ")}${names.length > shown.length ? " and others" : ""}`;
  const place = inside === null ? null : name === "." ? inside : `${name}/${inside}`;
  const hint =
    other !== undefined
      ? `Rename \`${other}\` to index.html: a server takes the two for different files.`
      : place !== null
        ? `\`${place}\` has an index.html: set output_directory to it.`
        : `${await elsewhere(root, folder)}Set output_directory to the folder to publish: a folder that is set is published also without an index.html. For an app that answers requests itself, define the process web, such as \`web: node server.js\` in a Procfile.`;
  return makeFailure(
    "build_failed",
    "build",
    `the output directory \`${name}\` is no site: it has no index.html after the build (${content})`,
    undefined,
    hint,
  );
}

async function elsewhere(root: string, folder: string): Promise<string> {
  if (root === folder) return "";
  const names = await readdir(root).catch(() => []);
  const found = await folderWithIndex(
    root,
    names.filter((name) => !/^(?:\.|node_modules$)/.test(name)),
  );
  return found === null ? "" : `\`${found}\` has an index.html. `;
}

/** How deep builds of workspaces write, as in `dist/apps/shop`, and the most folders that are looked at. */
const MAX_DEPTH = 3;
const MAX_FOLDERS = 200;

/** The first of these folders, or of those inside of them, that has a first page. */
async function folderWithIndex(folder: string, names: readonly string[]): Promise<string | null> {
  let level = names;
  for (let depth = 1; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const below: string[] = [];
    for (const name of level.slice(0, MAX_FOLDERS)) {
      if (await hasIndex(join(folder, name))) return name;
      const inner = await readdir(join(folder, name), { withFileTypes: true }).catch(() => []);
      below.push(
        ...inner
          .filter((one) => one.isDirectory() && !isForeign(one.name))
          .map((one) => `${name}/${one.name}`),
      );
    }
    level = below;
  }
  return null;
}

function isForeign(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

/** Whether a folder has a first page. */
export async function hasIndex(folder: string): Promise<boolean> {
  return (await stat(join(folder, INDEX)).catch(() => null))?.isFile() === true;
}
