import { hookSettingsOf } from "#contract/endpoints/hooks/hook-settings.ts";
import type { Hook, Push } from "#contract/endpoints/hooks/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import type { HookReading } from "#worker/db/hooks/hook-records.ts";
import type { PushReading } from "#worker/db/pushes/push-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** A hook without its secrets. @param origin the address of this installation */
export function hookView(hook: HookReading, origin: string, now: number): Hook {
  const { settingsUrl, steps } = hookSettingsOf(hook.forge, hook.repository, `${origin}/docs`);
  const hasPrevious = hook.previousExpiresAt !== null && hook.previousExpiresAt > now;
  return {
    id: hook.id,
    forge: hook.forge,
    repository: maskRepository(hook.repository),
    url: `${origin}/v1/hooks/${hook.id}/receive`,
    settings_url: settingsUrl,
    steps: [...steps],
    project_ids: [...hook.projectIds],
    created_at: timestamp(hook.createdAt),
    previous_expires_at: hasPrevious ? timestampOrNull(hook.previousExpiresAt) : null,
    received_at: timestampOrNull(hook.receivedAt),
    refused_at: timestampOrNull(hook.refusedAt),
    refused_reason: hook.refusedReason,
  };
}

/** A row of the ledger. */
export function pushView(push: PushReading): Push {
  return {
    id: push.id,
    hook_id: push.hookId,
    project_id: push.projectId,
    source: push.source,
    received_at: timestamp(push.receivedAt),
    event: push.event,
    delivery_id: push.deliveryId,
    ref: push.ref,
    before: push.before,
    after: push.after,
    headline: push.headline,
    pusher: push.pusher,
    decision: push.decision,
    reason: push.reason,
    detail: push.detail,
    deployment_id: push.deploymentId,
    count: push.count,
  };
}
