import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { parse, stringify } from "smol-toml";
import * as z from "zod";

import type { Jurisdiction } from "#contract/regions.ts";

import { root } from "./root.ts";

/** The parts of wrangler.toml that have paths, names or buckets. The others are copied. */
const Configuration = z.looseObject({
  account_id: z.string().optional(),
  main: z.string(),
  build: z.unknown(),
  assets: z.looseObject({ directory: z.string() }),
  d1_databases: z.tuple([z.looseObject({ database_name: z.string(), migrations_dir: z.string() })]),
  r2_buckets: z.tuple([z.looseObject({ bucket_name: z.string() })]),
});

/** Reads the file itself, because wrangler's reader takes a second to load. */
async function readConfiguration() {
  return Configuration.parse(parse(await readFile(join(root, "wrangler.toml"), "utf8")));
}

/** The names in wrangler.toml. The id of the database differs between accounts. */
export async function readNames() {
  const found = await readConfiguration();
  return {
    account: found.account_id,
    database: found.d1_databases[0].database_name,
    bucket: found.r2_buckets[0].bucket_name,
  };
}

/**
 * Writes the copy of wrangler.toml that a built Worker is deployed with. It has no build command, which has run, uploads
 * all files beside the main one as modules, and its bucket is in the jurisdiction: `wrangler deploy` has no option for
 * any of them.
 * @returns its path
 */
export async function writeDeployConfiguration(
  folder: string,
  jurisdiction: Jurisdiction | null,
): Promise<string> {
  const { build: _, ...config } = await readConfiguration();
  const path = join(folder, "wrangler.toml");
  await writeFile(
    path,
    stringify({
      ...config,
      // Relative paths are relative to the file.
      main: resolve(root, config.main),
      find_additional_modules: true,
      rules: [{ type: "ESModule", globs: ["*.js"] }],
      assets: { ...config.assets, directory: resolve(root, config.assets.directory) },
      d1_databases: config.d1_databases.map((one) => ({
        ...one,
        migrations_dir: resolve(root, one.migrations_dir),
      })),
      r2_buckets: config.r2_buckets.map((one) => (jurisdiction === null ? one : { ...one, jurisdiction })),
    }),
  );
  return path;
}
