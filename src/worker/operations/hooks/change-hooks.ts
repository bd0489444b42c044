import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import type { CreateHookInput, HookWithSecret, RotateHookInput } from "#contract/endpoints/hooks/schemas.ts";
import { repositoryKey } from "#contract/forge.ts";
import { maskRepository } from "#contract/git-names.ts";
import type { HookId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formWebhookSecret } from "#sealing/standard-webhook.ts";
import { splitLogin } from "#domain/repository-login.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import { findHook } from "#worker/db/hooks/hook-records.ts";
import { deleteHook as removeHook, insertHook, replaceHookSecret } from "#worker/db/hooks/hook-changes.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { notFound, tooMany } from "#worker/operations/refusals.ts";
import { hookView } from "#worker/views/hook-view.ts";

/** Creates a hook for a repository. A retry of the same request returns the hook that the first try created. */
export async function createHook(
  context: Context,
  { forge, repository, secret: given }: CreateHookInput,
): Promise<Result<HookWithSecret, "hook_exists" | "too_many">> {
  const secret = given ?? newHookSecret(context);
  const hook = {
    id: context.ids.hook(),
    forge,
    repository: splitLogin(repository)?.address ?? repository,
    repositoryKey: repositoryKey(repository),
    secret,
    createdAt: context.clock.now(),
  };
  const insertion = await insertHook(context.rows, hook, hookWrites(context, "hook.created", hook));
  switch (insertion.outcome) {
    case "inserted":
      announceLater(context);
      return succeed({ ...hookView(insertion.hook, context.origin, hook.createdAt), secret });
    case "exists":
      return refuse("hook_exists", `The account already has a hook for this repository: ${insertion.id}.`);
    case "too_many":
      return tooMany("hooks");
  }
}

/** A secret that is also a signing token of GitLab, which has 32 bytes. */
function newHookSecret({ randomBytes }: Pick<Context, "randomBytes">): string {
  return formWebhookSecret(randomBytes(32));
}

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

/** Deletes a hook: its deliveries are not found from then on. */
export async function deleteHook(context: Context, id: HookId): Promise<Result<null, "not_found">> {
  const hook = await findHook(context.rows, id);
  if (hook === null) return notFound("hook");
  if (!(await removeHook(context.rows, id, hookWrites(context, "hook.deleted", hook))))
    return notFound("hook");
  announceLater(context);
  return succeed(null);
}

type ChangedHook = { readonly id: HookId; readonly forge: HookForge; readonly repository: string };

/** The event and the audit entry of a changed hook. */
function hookWrites(
  context: Context,
  type: "hook.created" | "hook.updated" | "hook.deleted",
  hook: ChangedHook,
): Write[] {
  const { id, forge } = hook;
  const repository = maskRepository(hook.repository);
  return requestWrites(context, {
    event: { type, data: { hook: { id, forge, repository }, reason: null } },
    target: { type: "hook", id, name: repository },
    projectId: null,
  });
}
