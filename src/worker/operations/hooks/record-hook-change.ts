import type { HookId } from "#contract/ids.ts";
import { maskRepository } from "#contract/git-names.ts";
import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";

type ChangedHook = { readonly id: HookId; readonly forge: HookForge; readonly repository: string };

/** The event and the audit entry of a changed hook. */
export function hookWrites(
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
