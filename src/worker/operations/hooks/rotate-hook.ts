import type { HookWithSecret, RotateHookInput } from "#contract/endpoints/hooks/schemas.ts";
import type { HookId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findHook, replaceHookSecret } from "#worker/db/hooks/hook-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { newHookSecret } from "#worker/operations/hooks/create-hook.ts";
import { hookWrites } from "#worker/operations/hooks/record-hook-change.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { hookView } from "#worker/views/hook-view.ts";

/** How long the replaced secret keeps working, so that it can be replaced at the forge. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** Gives a hook a new secret. A secret from before an earlier rotation stops working at once. */
export async function rotateHook(
  context: Context,
  id: HookId,
  { secret: given }: RotateHookInput,
): Promise<Result<HookWithSecret, "not_found">> {
  const hook = await findHook(context.rows, id);
  if (hook === null) return notFound("hook");
  const secret = given ?? newHookSecret(context);
  const now = context.clock.now();
  const recorded = hookWrites(context, "hook.updated", hook);
  const replacement = { secret, previousExpiresAt: now + OVERLAP_MS };
  const previousExpiresAt = await replaceHookSecret(context.rows, id, replacement, recorded);
  if (previousExpiresAt === undefined) return notFound("hook");
  announceLater(context);
  return succeed({ ...hookView({ ...hook, previousExpiresAt }, context.origin, now), secret });
}
