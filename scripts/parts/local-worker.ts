import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";

import * as z from "zod";

import { persistencePath } from "./local-database.ts";
import { root } from "./root.ts";

/** As in wrangler.toml: the files of a Durable Object are found by it, so another name would begin with empty ones. */
const WORKER_NAME = "gantry";
/** Serves the files beside the bundle. In front of the Worker, where wrangler puts it, it slows every request down. */
const ASSETS_NAME = "gantry-assets";

/** The variables of wrangler.toml, which wrangler leaves untyped. */
const Variables = z.record(z.string(), z.json()).default({});

/** How the files of wrangler.toml's assets are served, which wrangler leaves untyped too. */
const Assets = z.object({
  assetConfig: z.object({ compatibility_date: z.string(), compatibility_flags: z.array(z.string()) }),
});

const Limiter = z.object({
  namespace_id: z.string(),
  simple: z.object({ limit: z.number(), period: z.union([z.literal(10), z.literal(60)]) }),
});
const RateLimits = z.record(z.string(), Limiter);

export type LocalWorkerOptions = {
  readonly port: number;
  /** What wrangler calls --persist-to: both servers read the same database, objects and logs. */
  readonly state: string;
  /** The Worker as buildWorker made it. */
  readonly bundle: string;
  /** Requests a minute for each token; `null`: as many as it likes. */
  readonly rateLimit: number | null;
  /** Where a debugger finds the Worker; `null`: nowhere. */
  readonly inspectorPort: number | null;
};

export type LocalWorker = {
  readonly url: string;
  close(): Promise<void>;
};

/** Serves the built Worker in Cloudflare's own runtime, with the database that `withLocalDatabase` has migrated. */
export async function startLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const {
    workerOptions: { assets, ...workerOptions },
  } = workerOptionsOf(join(root, "wrangler.toml"));
  const { assetConfig } = Assets.parse(assets);
  const folder = join(options.bundle, "..");
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: options.port,
      cf: false,
      // Opens the door of `runSchedule` (local-schedule.ts).
      unsafeTriggerHandlers: true,
      ...(options.inspectorPort === null ? {} : { inspectorPort: options.inspectorPort }),
      log: new Log(LogLevel.WARN),
      resourcePersistencePath: persistencePath(options.state),
      workers: [
        {
          ...workerOptions,
          name: WORKER_NAME,
          bindings: {
            ...Variables.parse(workerOptions.bindings),
            RATE_LIMIT: String(options.rateLimit ?? 0),
          },
          ratelimits: rateLimits(workerOptions.ratelimits, options.rateLimit),
          serviceBindings: { ASSETS: ASSETS_NAME },
          modules: [{ type: "ESModule", path: options.bundle }],
          modulesRoot: folder,
        },
        {
          name: ASSETS_NAME,
          compatibilityDate: assetConfig.compatibility_date,
          assets: { directory: join(folder, "assets"), assetConfig },
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
    close: () => miniflare.dispose(),
  };
}

/** The limiters of wrangler.toml, with the limit of this start for tokens. */
function rateLimits(bindings: unknown, limit: number | null): z.infer<typeof RateLimits> {
  const limiters = RateLimits.parse(bindings);
  const token = limiters["TOKEN_LIMIT"];
  if (limit !== null && token !== undefined) token.simple.limit = limit;
  return limiters;
}
