import { TokenId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { TokenRows } from "#contract/endpoints/tokens/schemas.ts";
import type { Context } from "#worker/context.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { listTokens as readTokens } from "#worker/db/tokens/list-tokens.ts";
import { pageOf, readCursor } from "#worker/paging.ts";
import { tokenView } from "#worker/views/token-view.ts";

/** The account's tokens, expired ones too, newest first: all of them, or a page where a limit is asked for. */
export async function listTokens(
  context: Context,
  query: PageQuery,
): Promise<Result<TokenRows, "invalid_request">> {
  const after = readCursor("tokens", TokenId, query.cursor);
  if (!after.ok) return after;
  const limit = query.limit ?? MAX_PER_ACCOUNT;
  const readings = await readTokens(context.rows, { after: after.value, limit: limit + 1 });
  const page = pageOf(readings, limit, "tokens", (reading) => reading.id);
  const now = context.clock.now();
  return succeed({
    tokens: page.rows.map((reading) => tokenView(reading, now)),
    next_cursor: page.nextCursor,
  });
}
