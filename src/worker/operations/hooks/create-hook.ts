import type { CreateHookInput, HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import { repositoryKey } from "#contract/forge.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { splitLogin } from "#domain/repository-login.ts";
import { formWebhookSecret } from "#sealing/standard-webhook.ts";
import type { Context } from "#worker/context.ts";
import { insertHook } from "#worker/db/hooks/hook-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { hookWrites } from "#worker/operations/hooks/record-hook-change.ts";
import { tooMany } from "#worker/operations/refusals.ts";
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
export function newHookSecret({ randomBytes }: Pick<Context, "randomBytes">): string {
  return formWebhookSecret(randomBytes(32));
}
