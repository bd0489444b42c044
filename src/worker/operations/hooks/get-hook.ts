import type { Hook } from "#contract/endpoints/hooks/schemas.ts";
import type { HookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findHook } from "#worker/db/hooks/hook-records.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { hookView } from "#worker/views/hook-view.ts";

/** Returns a hook without its secrets. */
export async function getHook(
  { rows, origin, clock }: Context,
  id: HookId,
): Promise<Result<Hook, "not_found">> {
  const hook = await findHook(rows, id);
  return hook === null ? notFound("hook") : succeed(hookView(hook, origin, clock.now()));
}
