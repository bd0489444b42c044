import { basename, delimiter, dirname, sep } from "node:path";

import { root } from "../shared/root.ts";

/**
 * The PATH of whoever called npm. npm puts the programs of this repository's packages before it, and a build that found its
 * compiler or its Node there would work here and on no server.
 */
export function callersPath(path: string): string {
  return path
    .split(delimiter)
    .filter((part) => !isOfNpm(part))
    .join(delimiter);
}

/** Source: set-path.js of @npmcli/run-script: `node_modules/.bin` of every folder from the package up, and its node-gyp. */
function isOfNpm(part: string): boolean {
  if (basename(part) === "node-gyp-bin") return true;
  if (basename(part) !== ".bin" || basename(dirname(part)) !== "node_modules") return false;
  const folder = dirname(dirname(part));
  return folder === root || root.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
