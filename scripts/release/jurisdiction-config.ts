import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { parse, stringify } from "smol-toml";
import * as z from "zod";

import type { Jurisdiction } from "#contract/regions.ts";

import { root } from "../shared/root.ts";

/** The parts of wrangler.toml that have paths or buckets. The others are copied. */
const Configuration = z.looseObject({
  main: z.string(),
  assets: z.looseObject({ directory: z.string() }),
  d1_databases: z.array(z.looseObject({ migrations_dir: z.string() })),
  r2_buckets: z.array(z.looseObject({})),
});

/**
 * Writes a copy of wrangler.toml whose bucket is in a jurisdiction: `wrangler deploy` has no option for that.
 * @returns its path
 */
export async function configInJurisdiction(folder: string, jurisdiction: Jurisdiction): Promise<string> {
  const text = await readFile(join(root, "wrangler.toml"), "utf8");
  const config = Configuration.parse(parse(text));
  const path = join(folder, "wrangler.toml");
  await writeFile(
    path,
    stringify({
      ...config,
      // Relative paths are relative to the file.
      main: resolve(root, config.main),
      assets: { ...config.assets, directory: resolve(root, config.assets.directory) },
      d1_databases: config.d1_databases.map((one) => ({
        ...one,
        migrations_dir: resolve(root, one.migrations_dir),
      })),
      r2_buckets: config.r2_buckets.map((one) => ({ ...one, jurisdiction })),
    }),
  );
  return path;
}
