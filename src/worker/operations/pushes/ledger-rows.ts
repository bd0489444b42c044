import type { LedgerDecision, PushSource } from "#contract/endpoints/hooks/push-decisions.ts";
import type { HookId, IdGenerator, PushId } from "#contract/ids.ts";
import { headlineOf } from "#domain/pushes/push.ts";
import type { NewPush } from "#worker/db/pushes/push-records.ts";
import type { DecidedPush } from "#worker/operations/pushes/decided-push.ts";

/** Longer lists are not kept: then the paths do not decide about a replay. In UTF-16 units. */
const MAX_PATHS_TEXT = 4_000;

/** What the rows of one arrival have in common. */
export type LedgerOrigin = {
  readonly hookId: HookId | null;
  readonly source: PushSource;
  readonly receivedAt: number;
  readonly event: string | null;
  readonly deliveryId: string | null;
  readonly bodyHash: string | null;
};

/** The row of a delivery without a push that concerns the hook. */
export function unpushedRow<Origin extends LedgerOrigin>(
  ids: Pick<IdGenerator, "push">,
  origin: Origin,
  decision: LedgerDecision,
  detail: string,
) {
  return {
    id: ids.push(),
    projectId: null,
    ...origin,
    ref: null,
    before: null,
    after: null,
    headline: null,
    pusher: null,
    paths: null,
    ...decision,
    detail,
    deploymentId: null,
    liveSha: null,
    count: 1,
  };
}

/** The row of the ledger for a push and a project. */
export function ledgerRow(
  id: PushId,
  origin: LedgerOrigin,
  { push, project, decision, detail, deployment, liveSha }: DecidedPush,
): NewPush {
  return {
    id,
    projectId: project?.id ?? null,
    ...origin,
    ref: push.ref,
    before: push.before,
    after: push.after,
    headline: headlineOf(push.message),
    pusher: push.pusher,
    paths:
      push.paths !== null && JSON.stringify(push.paths).length <= MAX_PATHS_TEXT ? [...push.paths] : null,
    ...decision,
    detail,
    deploymentId: deployment?.id ?? null,
    liveSha,
    count: 1,
  };
}
