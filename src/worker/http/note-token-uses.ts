import type { Context as HonoContext, Next } from "hono";

import type { TokenId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { noteTokenUse } from "#worker/db/tokens/note-token-use.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { errorLogLine } from "#worker/http/unexpected-error.ts";

const HOUR_MS = 60 * 60 * 1000;

/** How many tokens it remembers to have noted in this hour. */
const REMEMBERED = 10_000;

/**
 * Notes the hour in which a token was last used: after the answer, which neither waits for it nor fails with it, and
 * once an hour. A request that is refused is no use, so it leaves the database as it is.
 */
export function noteTokenUses(clock: { now(): number }) {
  const noted = new Set<TokenId>();
  let notedIn = 0;
  return async (c: HonoContext<AppEnv>, next: Next): Promise<void> => {
    await next();
    const { holder } = c.var;
    if (holder === undefined || c.res.status >= 400) return;
    const now = clock.now();
    const hour = now - (now % HOUR_MS);
    if (hour !== notedIn || noted.size >= REMEMBERED) noted.clear();
    notedIn = hour;
    const { id, lastUsedAt } = holder.token;
    if ((lastUsedAt ?? 0) >= hour || noted.has(id)) return;
    // Before the write, so that of many requests at once only one writes.
    noted.add(id);
    c.executionCtx.waitUntil(
      noteTokenUse(new AccountRows(c.env.DB, holder.account.id), id, hour).catch((error: unknown) => {
        noted.delete(id);
        console.error(errorLogLine(error, c.var.requestId, c.req.raw));
      }),
    );
  };
}
