import { basename, delimiter, dirname, sep } from "node:path";

import { root } from "../shared/root.ts";

/**
 * The PATH without the folders that npm put in front of it. They hold the programs of this repository's packages: a build
 * that uses them would work here and fail on a server.
 */
export function callersPath(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => !isAddedByNpm(folder))
    .join(delimiter);
}

/**
 * npm adds `node_modules/.bin` of the package's folder and of every folder above it, and its own node-gyp.
 * Source: set-path.js of @npmcli/run-script.
 */
function isAddedByNpm(path: string): boolean {
  if (basename(path) === "node-gyp-bin") return true;
  if (basename(path) !== ".bin" || basename(dirname(path)) !== "node_modules") return false;
  const folder = dirname(dirname(path));
  return folder === root || root.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
