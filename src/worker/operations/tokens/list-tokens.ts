import type { TokenRows } from "#contract/endpoints/tokens/schemas.ts";
import { TokenId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { listTokens as readTokens } from "#worker/db/tokens/list-tokens.ts";
import { readPage } from "#worker/paging.ts";
import { tokenView } from "#worker/views/token-view.ts";

/** Lists the account's tokens, also expired ones, newest first: all of them, or one page if the query has a limit. */
export async function listTokens(
  { rows, clock }: Context,
  query: PageQuery,
): Promise<Result<TokenRows, "invalid_request">> {
  const page = await readPage(
    {
      name: "tokens",
      key: TokenId,
      read: (position) => readTokens(rows, position),
      keyOf: (token) => token.id,
    },
    query,
    MAX_PER_ACCOUNT,
  );
  if (!page.ok) return page;
  const now = clock.now();
  return succeed({
    tokens: page.value.rows.map((reading) => tokenView(reading, now)),
    next_cursor: page.value.nextCursor,
  });
}
