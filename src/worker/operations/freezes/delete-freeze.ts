import type { FreezeId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findFreeze, removeFreeze } from "#worker/db/freezes/freeze-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { freezeChangeWrites } from "#worker/operations/freezes/freeze-change.ts";
import { tellLanes } from "#worker/operations/freezes/tell-lanes.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Deletes a freeze. */
export async function deleteFreeze(context: Context, id: FreezeId): Promise<Result<null, "not_found">> {
  const freeze = await findFreeze(context.rows, id);
  if (freeze === null) return notFound("freeze");
  const recorded = freezeChangeWrites(context, "freeze.deleted", freeze);
  if (!(await removeFreeze(context.rows, id, recorded))) return notFound("freeze");
  announceLater(context);
  await tellLanes(context, freeze.projectId);
  return succeed(null);
}
