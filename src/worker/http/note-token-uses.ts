import type { Context as HonoContext, Next } from "hono";

import type { TokenId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { noteTokenUse } from "#worker/db/tokens/token-records.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { errorLogLine } from "#worker/http/unexpected-error.ts";

const HOUR_MS = 60 * 60 * 1000;

/** How many tokens are remembered as recorded in this hour. */
const MAX_RECORDED = 10_000;

/**
 * Records when a token is used, at its first use in each hour. The write runs after the response, so it can neither
 * delay nor fail the request. A refused request does not count as a use.
 */
export function noteTokenUses(clock: { now(): number }) {
  const noted = new Set<TokenId>();
  let notedIn = 0;
  return async (c: HonoContext<AppEnv>, next: Next): Promise<void> => {
    await next();
    const holder = c.get("holder");
    if (holder === undefined || c.res.status >= 400) return;
    const now = clock.now();
    const hour = now - (now % HOUR_MS);
    if (hour !== notedIn || noted.size >= MAX_RECORDED) noted.clear();
    notedIn = hour;
    const { id, lastUsedAt } = holder.token;
    if ((lastUsedAt ?? 0) >= hour || noted.has(id)) return;
    // Before the write, so that only one of many concurrent requests writes.
    noted.add(id);
    c.executionCtx.waitUntil(
      noteTokenUse(new AccountRows(c.env.DB, holder.account.id), id, { usedAt: now, hour }).catch(
        (error: unknown) => {
          noted.delete(id);
          console.error(errorLogLine(error, c.get("requestId"), c.req.raw));
        },
      ),
    );
  };
}
