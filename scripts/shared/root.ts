import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The folder with the programs of the installed packages. */
export const binaries = resolve(root, "node_modules/.bin");
