import type { Freeze, FreezeRows } from "#contract/endpoints/freezes/schemas.ts";
import { FreezeId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findFreeze, listFreezes as readFreezes } from "#worker/db/freezes/freeze-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { readAll } from "#worker/paging.ts";
import { freezeView } from "#worker/views/freeze-view.ts";

/** Returns a freeze. */
export async function getFreeze(
  { rows, clock }: Context,
  id: FreezeId,
): Promise<Result<Freeze, "not_found">> {
  const freeze = await findFreeze(rows, id);
  return freeze === null ? notFound("freeze") : succeed(freezeView(freeze, clock.now()));
}

/** Lists the freezes that the token may see, newest first: all of them, or one page if the query has a limit. */
export async function listFreezes(
  { rows, clock }: Context,
  query: PageQuery,
): Promise<Result<FreezeRows, "invalid_request">> {
  const page = await readAll("freezes", FreezeId, (position) => readFreezes(rows, position), query);
  if (!page.ok) return page;
  const now = clock.now();
  return succeed({
    freezes: page.value.rows.map((record) => freezeView(record, now)),
    next_cursor: page.value.nextCursor,
  });
}
