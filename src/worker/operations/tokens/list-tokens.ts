import type { Token, TokenRows } from "#contract/endpoints/tokens/schemas.ts";
import { TokenId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findToken, listTokens as readTokens } from "#worker/db/tokens/token-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readAll } from "#worker/paging.ts";
import { tokenView } from "#worker/views/token-view.ts";

/** Returns a token that the list has. */
export async function getToken({ rows, clock }: Context, id: TokenId): Promise<Result<Token, "not_found">> {
  const token = await findToken(rows, id);
  return token === null || token.kind === "exchange"
    ? notFound("token")
    : succeed(tokenView(token, clock.now()));
}

/** Lists the account's tokens, also expired ones, newest first: all of them, or one page if the query has a limit. */
export async function listTokens(
  { rows, clock }: Context,
  query: PageQuery,
): Promise<Result<TokenRows, "invalid_request">> {
  const page = await readAll("tokens", TokenId, (position) => readTokens(rows, position), query);
  if (!page.ok) return page;
  const now = clock.now();
  return succeed({
    tokens: page.value.rows.map((reading) => tokenView(reading, now)),
    next_cursor: page.value.nextCursor,
  });
}
