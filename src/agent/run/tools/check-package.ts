import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { NpmPackage } from "#project-files/frameworks/tools/npm-package.ts";
import { objectOf, parseObject } from "#contract/lib/json-object.ts";

/**
 * Compares an installed package with the hash in `packageManager`, as Corepack does. Only SHA-512 of a whole package can
 * be compared: that is what npm records, and what pnpm and Corepack write for pnpm and Yarn 1.
 * @param folder the folder in which npm installed it
 * @returns why it is refused; `null` if it is not
 */
export async function checkPackage(folder: string, { name, hash }: NpmPackage): Promise<string | null> {
  const wanted = /^sha512\.([0-9a-f]{128})$/.exec(hash)?.[1];
  if (wanted === undefined || name.startsWith("@")) return null;
  const lock = parseObject(await readFile(join(folder, "node_modules", ".package-lock.json"), "utf8"));
  const integrity = objectOf(objectOf(lock["packages"])[`node_modules/${name}`])["integrity"];
  const expected = `sha512-${Buffer.from(wanted, "hex").toString("base64")}`;
  return integrity === expected
    ? null
    : `${name} is refused: its hash is not the one in packageManager of package.json`;
}
