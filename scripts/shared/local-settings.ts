import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import * as z from "zod";

import { root } from "./root.ts";

const Limiter = z.object({
  namespace_id: z.string(),
  simple: z.object({ limit: z.number(), period: z.union([z.literal(10), z.literal(60)]) }),
});

/** The settings of wrangler.toml that a local server needs, as Miniflare names them. wrangler has no types for them. */
const WorkerOptions = z.object({
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  bindings: z.record(z.string(), z.json()),
  d1Databases: z.record(z.string(), z.object({ id: z.string() })),
  r2Buckets: z.record(z.string(), z.object({ id: z.string() })),
  durableObjects: z.record(z.string(), z.object({ className: z.string(), useSQLite: z.boolean() })),
  ratelimits: z.record(z.string(), Limiter),
  assets: z.object({
    assetConfig: z.object({ compatibility_date: z.string(), compatibility_flags: z.array(z.string()) }),
  }),
});

const Migration = z.object({ name: z.string(), queries: z.array(z.string()) });

/** The settings and migrations that a built Worker is served with locally. */
const LocalSettings = z.object({ worker: WorkerOptions, migrations: z.array(Migration) });
export type LocalSettings = z.infer<typeof LocalSettings>;

const FILE = "local.json";

/**
 * Writes the settings beside a bundle. The tools that read wrangler.toml and the migrations take more than a second to
 * load, which would delay each start of the server.
 */
export async function writeLocalSettings(folder: string): Promise<void> {
  const [{ unstable_getMiniflareWorkerOptions }, { readD1Migrations }] = await Promise.all([
    import("wrangler"),
    import("@cloudflare/vitest-plugin"),
  ]);
  const settings = LocalSettings.parse({
    worker: unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml")).workerOptions,
    migrations: await readD1Migrations(join(root, "migrations")),
  });
  await writeFile(join(folder, FILE), JSON.stringify(settings));
}

/** @param bundle the file that buildWorker built */
export async function readLocalSettings(bundle: string): Promise<LocalSettings> {
  return LocalSettings.parse(JSON.parse(await readFile(join(dirname(bundle), FILE), "utf8")));
}
