import { dirname, join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { persistencePath } from "./local-database.ts";
import type { LocalSettings } from "./local-settings.ts";

/** As in wrangler.toml: the files of a Durable Object are found by it, so another name would begin with empty ones. */
const WORKER_NAME = "gantry";
/** Serves the files beside the bundle. In front of the Worker, where wrangler puts it, it slows every request down. */
const ASSETS_NAME = "gantry-assets";

export type LocalWorkerOptions = {
  readonly port: number;
  /** What wrangler calls --persist-to: both servers read the same database, objects and logs. */
  readonly state: string;
  /** The Worker as buildWorker made it, and the settings beside it. */
  readonly bundle: string;
  readonly settings: LocalSettings;
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
    worker: { assets, ...worker },
  } = options.settings;
  const folder = dirname(options.bundle);
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
          ...worker,
          name: WORKER_NAME,
          // The address of a released installation is not the one of this server.
          bindings: { ...worker.bindings, RATE_LIMIT: String(options.rateLimit ?? 0), PUBLIC_URL: "" },
          ratelimits: withTokenLimit(worker.ratelimits, options.rateLimit),
          serviceBindings: { ASSETS: ASSETS_NAME },
          modules: [{ type: "ESModule", path: options.bundle }],
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
    close: () => miniflare.dispose(),
  };
}

type RateLimits = LocalSettings["worker"]["ratelimits"];

/** The limiters of wrangler.toml, with the limit of this start for tokens. */
function withTokenLimit(limiters: RateLimits, limit: number | null): RateLimits {
  const token = limiters["TOKEN_LIMIT"];
  if (limit === null || token === undefined) return limiters;
  return { ...limiters, TOKEN_LIMIT: { ...token, simple: { ...token.simple, limit } } };
}
