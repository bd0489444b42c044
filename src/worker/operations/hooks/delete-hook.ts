import type { HookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { deleteHook as removeHook, findHook } from "#worker/db/hooks/hook-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { hookWrites } from "#worker/operations/hooks/record-hook-change.ts";
import { notFound } from "#worker/operations/refusals.ts";

/** Deletes a hook: its deliveries are not found from then on. */
export async function deleteHook(context: Context, id: HookId): Promise<Result<null, "not_found">> {
  const hook = await findHook(context.rows, id);
  if (hook === null) return notFound("hook");
  if (!(await removeHook(context.rows, id, hookWrites(context, "hook.deleted", hook))))
    return notFound("hook");
  announceLater(context);
  return succeed(null);
}
