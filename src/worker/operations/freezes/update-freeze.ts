import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import type { Freeze, UpdateFreezeInput } from "#contract/endpoints/freezes/schemas.ts";
import type { FreezeId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { changeFreeze, findFreeze, type FreezeReading } from "#worker/db/freezes/freeze-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { freezeChangeWrites } from "#worker/operations/freezes/freeze-change.ts";
import { acceptedTimes } from "#worker/operations/freezes/freeze-refusals.ts";
import { tellLanes } from "#worker/operations/freezes/tell-lanes.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { freezeView } from "#worker/views/freeze-view.ts";

/** Changes a freeze. A request that changes nothing is no change in the audit log. */
export async function updateFreeze(
  context: Context,
  id: FreezeId,
  input: UpdateFreezeInput,
): Promise<Result<Freeze, "not_found" | "invalid_request">> {
  const now = context.clock.now();
  const times = input.times === undefined ? null : acceptedTimes(input.times, now);
  if (times?.ok === false) return times;
  const before = await findFreeze(context.rows, id);
  if (before === null) return notFound("freeze");
  const after = { ...before, name: input.name ?? before.name, times: times?.value ?? before.times };
  const changes = changesOf(before, after);
  if (Object.keys(changes).length > 0) {
    const recorded = freezeChangeWrites(context, "freeze.updated", after, changes);
    const given = { name: input.name, times: times?.value };
    if (!(await changeFreeze(context.rows, id, given, recorded))) return notFound("freeze");
    announceLater(context);
    await tellLanes(context, after.projectId);
  }
  return succeed(freezeView(after, now));
}

function changesOf(before: FreezeReading, after: FreezeReading): AuditChanges {
  const isSame = (name: "name" | "times") => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  const changed = (["name", "times"] as const).filter((name) => !isSame(name));
  return Object.fromEntries(changed.map((name) => [name, { before: before[name], after: after[name] }]));
}
