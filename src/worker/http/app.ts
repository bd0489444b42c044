import { Hono } from "hono";

import type { TokenHolder } from "#worker/db/credentials.ts";
import type { DatabaseSession } from "#worker/db/session.ts";

/**
 * The Worker's router. `requestId` is set before anything else runs, `session` by whoever opens one, `holder` once a
 * token has told who asks.
 */
export type AppEnv = {
  Bindings: Env;
  Variables: { requestId: string; session?: DatabaseSession; holder?: TokenHolder };
};
export type App = Hono<AppEnv>;

export const createApp = (): App => new Hono<AppEnv>();
