import type { Freeze } from "#contract/endpoints/freezes/schemas.ts";
import type { FreezeId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findFreeze } from "#worker/db/freezes/freeze-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { freezeView } from "#worker/views/freeze-view.ts";

/** Returns a freeze. */
export async function getFreeze(
  { rows, clock }: Context,
  id: FreezeId,
): Promise<Result<Freeze, "not_found">> {
  const freeze = await findFreeze(rows, id);
  return freeze === null ? notFound("freeze") : succeed(freezeView(freeze, clock.now()));
}
