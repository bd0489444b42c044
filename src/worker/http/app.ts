import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";

import type { OperationName } from "#contract/endpoints/endpoints.ts";
import type { AuditEntryId } from "#contract/ids.ts";
import type { ProblemCode } from "#contract/problems.ts";
import type { TokenHolder } from "#worker/db/tokens/find-token-holder.ts";
import type { DatabaseSession } from "#worker/db/database-session.ts";

/**
 * The variables of a request, for `c.get`: `c.var` copies all of them at each use. `requestId` and `addressed`, the
 * address that the client used, are set first, then `origin`, the address of this installation. `session` is set when a
 * database session is opened, `holder` when a token is authenticated, and `isImmutable` for a file whose name changes with
 * its content. `called` is set by a route of the API, and `refusal` if it refuses. `keyedEntryId` is set by a request with an
 * Idempotency-Key: the id of its entry in the audit log, the same for each retry.
 */
export type AppEnv = {
  Bindings: Env;
  Variables: {
    requestId: string;
    addressed: URL;
    origin: string;
    session?: DatabaseSession;
    holder?: TokenHolder;
    isImmutable?: true;
    called?: { readonly operation: OperationName; readonly params: Readonly<Record<string, string>> };
    refusal?: ProblemCode;
    keyedEntryId?: AuditEntryId;
  };
};
export type App = HonoBase<AppEnv>;

// Hono's default chooses between this router and a larger one (docs/decisions.md).
export const createApp = (): App => new HonoBase<AppEnv>({ router: new TrieRouter() });
