import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. Every command runs in it, wherever it was called from. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The programs of the installed packages. */
export const binaries = resolve(root, "node_modules/.bin");
