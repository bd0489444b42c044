import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";

import type { TokenHolder } from "#worker/db/tokens/find-token-holder.ts";
import type { DatabaseSession } from "#worker/db/database-session.ts";

/**
 * The Worker's router. `requestId` is set before anything else runs, and then `origin`, where this installation is reached; `session` by whoever opens one, `holder` once a
 * token has told who asks. `isForGood` is set for a file whose name changes with its content.
 */
export type AppEnv = {
  Bindings: Env;
  Variables: {
    requestId: string;
    origin: string;
    session?: DatabaseSession;
    holder?: TokenHolder;
    isForGood?: true;
  };
};
export type App = HonoBase<AppEnv>;

// Hono's own choice is between this router and a larger one (docs/decisions.md).
export const createApp = (): App => new HonoBase<AppEnv>({ router: new TrieRouter() });
