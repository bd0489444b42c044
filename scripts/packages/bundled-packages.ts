import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import * as z from "zod";

import { root } from "../shared/root.ts";

/** A package of npm whose code is in a bundle. */
export type BundledPackage = {
  readonly name: string;
  readonly version: string;
  /** An SPDX identifier. */
  readonly license: string;
  /** The text of its license. */
  readonly licenseText: string;
  /** SHA-512 of its archive in npm, in hexadecimal; null: unknown. */
  readonly sha512: string | null;
};

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });
const Lock = z.object({ packages: z.record(z.string(), z.object({ integrity: z.string().optional() })) });

/**
 * The packages of which a bundle has code, by name.
 * @param sources the paths of what is bundled, relative to the repository
 * @throws if a package has no license that can be passed on
 */
export async function bundledPackages(sources: readonly string[]): Promise<BundledPackage[]> {
  const places = new Set(sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const lock = Lock.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
  const found = await Promise.all(
    [...places].map(async (place): Promise<BundledPackage> => {
      const manifest = Manifest.parse(JSON.parse(await readFile(join(root, place, "package.json"), "utf8")));
      const file = (await readdir(join(root, place))).find((name) => /^licen[cs]e(?:\.|$)/i.test(name));
      if (file === undefined) throw new Error(`${place} has no file with its license`);
      const [, base64] = /^sha512-(\S+)/.exec(lock.packages[place]?.integrity ?? "") ?? [];
      return {
        ...manifest,
        licenseText: (await readFile(join(root, place, file), "utf8")).trim(),
        sha512: base64 === undefined ? null : Buffer.from(base64, "base64").toString("hex"),
      };
    }),
  );
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The licenses of what is in a bundle, which has to be passed on with it. */
export function licensesText(bundled: readonly BundledPackage[]): string {
  const texts = bundled.map(({ name, version, licenseText }) => `${name} ${version}\n\n${licenseText}\n`);
  return ["This package contains code of the following packages.\n", ...texts].join(
    `\n${"-".repeat(80)}\n\n`,
  );
}
