import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { type LocalDatabase, persistencePath } from "./local-database.ts";
import type { LocalSettings } from "./local-settings.ts";

/** The name in wrangler.toml. Durable Objects find their files by it: under another name they would be empty. */
const WORKER_NAME = "gantry";
/** A second Worker for the files beside the bundle. wrangler runs it before the Worker, which slows down each request. */
const ASSETS_NAME = "gantry-assets";

export type LocalWorkerOptions = {
  readonly port: number;
  /** wrangler's --persist-to: both servers read the same database, objects and logs. */
  readonly state: string;
  /** The file that buildWorker built, with the settings beside it. */
  readonly bundle: string;
  readonly settings: LocalSettings;
  /** Requests per minute for each token; null: unlimited. */
  readonly rateLimit: number | null;
  /** The port for a debugger; null: none. */
  readonly inspectorPort: number | null;
};

export type LocalWorker = {
  readonly url: string;
  /** The database that it serves. Miniflare blocks this process until the runtime responds (`withLocalDatabase`). */
  database(): Promise<LocalDatabase>;
  close(): Promise<void>;
};

/** Serves the built Worker in Cloudflare's runtime, on a database that is migrated. */
export async function startLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const {
    worker: { assets, ...worker },
  } = options.settings;
  const folder = dirname(options.bundle);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: options.port,
      // Otherwise Miniflare reports an example place in Texas for each request, and servers would be shown there.
      cf: {},
      // Enables the endpoint that `runSchedule` calls (local-schedule.ts).
      unsafeTriggerHandlers: true,
      ...(options.inspectorPort === null ? {} : { inspectorPort: options.inspectorPort }),
      log: new Log(LogLevel.WARN),
      resourcePersistencePath: persistencePath(options.state),
      workers: [
        {
          ...worker,
          name: WORKER_NAME,
          // wrangler.toml may name the address of a released installation.
          bindings: {
            ...worker.bindings,
            RATE_LIMIT: String(options.rateLimit ?? 0),
            PUBLIC_URL: "",
            WORKERS_PLAN: "",
            ALLOW_PRIVATE_TARGETS: "1",
          },
          ratelimits: withTokenLimit(worker.ratelimits, options.rateLimit),
          serviceBindings: { ASSETS: ASSETS_NAME },
          modules: await modulesOf(options.bundle),
          modulesRoot: folder,
        },
        {
          name: ASSETS_NAME,
          compatibilityDate: worker.compatibilityDate,
          assets: { directory: join(folder, "assets"), assetConfig: assets.assetConfig },
          modules: [
            { type: "ESModule", path: join(folder, "no-worker.mjs"), contents: "export default {};" },
          ],
          modulesRoot: folder,
        },
      ],
    }),
  );
  await miniflare.ready;
  return {
    url: `http://127.0.0.1:${options.port}`,
    database: () => miniflare.getD1Database("DB", WORKER_NAME),
    close: () => miniflare.dispose(),
  };
}

/** The main file, which Miniflare starts, then the files that it loads. */
async function modulesOf(bundle: string) {
  const folder = dirname(bundle);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js") && name !== basename(bundle));
  return [bundle, ...names.map((name) => join(folder, name))].map((path) => ({
    type: "ESModule" as const,
    path,
  }));
}

type RateLimits = LocalSettings["worker"]["ratelimits"];

/** The limiters of wrangler.toml, with the given limit for tokens. */
function withTokenLimit(limiters: RateLimits, limit: number | null): RateLimits {
  const token = limiters["TOKEN_LIMIT"];
  if (limit === null || token === undefined) return limiters;
  return { ...limiters, TOKEN_LIMIT: { ...token, simple: { ...token.simple, limit } } };
}
