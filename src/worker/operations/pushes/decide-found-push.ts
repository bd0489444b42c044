import { isSameRepository, repositoryKey } from "#contract/forge.ts";
import type { AuditEntryId, HookId, PushId, ServerId } from "#contract/ids.ts";
import type { TipMoved } from "#contract/agent-watch.ts";
import { isKnownTip } from "#domain/pushes/is-known-tip.ts";
import type { Push } from "#domain/pushes/push.ts";
import { watchTimes } from "#domain/pushes/watch-times.ts";
import type { Services } from "#worker/context.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { findKnownBranch } from "#worker/db/pushes/find-known-branch.ts";
import { repositoryReadWrite } from "#worker/db/projects/project-repository.ts";
import { findPushedProject } from "#worker/db/pushes/find-pushed-projects.ts";
import { pushes } from "#worker/db/push-tables.ts";
import { type Arrival, rowsOfCaller, decidePushes } from "#worker/operations/pushes/decide-pushes.ts";
import type { DecidedPush } from "#worker/operations/pushes/decided-push.ts";

/**
 * A push that a server's agent has found. `id`: of its row in the ledger. `auditId`: of the entry of the deployment that
 * it starts. `foundAt` is in Unix milliseconds.
 */
export type FoundPush = {
  readonly id: PushId;
  readonly auditId: AuditEntryId;
  readonly foundAt: number;
  readonly tip: TipMoved;
};

/** What the ledger and the deployment say about who found a push. `hookId`: the hook that did not report it, if any. */
export type Finder = { readonly serverName: string; readonly hookId: HookId | null };

const NOT_REPORTED = "The hook has not reported this push. The server's agent has found it.";

/**
 * Compares a found push with what is known. One D1 round trip.
 * @returns null if it needs no decision: its commit is known, or the server does not watch this branch for the project
 */
export async function findFinder(
  rows: AccountRows,
  serverId: ServerId,
  { tip, foundAt }: FoundPush,
): Promise<Finder | null> {
  const { project_id: id, branch, repository, commit_sha: sha } = tip;
  const found = await findKnownBranch(rows, { id, serverId, ref: refOf(tip), sha });
  if (found === null || found.branch !== branch || !isSameRepository(found.repository, repository))
    return null;
  const { hookId, serverName, known } = found;
  const rules = { deployOn: found.deployOn, branch };
  const isWatched = watchTimes(rules, hookId !== null) !== null;
  return isWatched && !isKnownTip({ sha, foundAt }, known) ? { hookId, serverName } : null;
}

/**
 * Decides about a found push, starts the deployment that follows, or writes to the ledger why it starts none. Safe to
 * repeat.
 * @throws if D1 or the project's lane does not answer
 */
export async function decideFoundPush(
  services: Pick<Services, "lanes" | "near">,
  rows: AccountRows,
  serverId: ServerId,
  { id, auditId, foundAt, tip }: FoundPush,
  { serverName, hookId }: Finder,
): Promise<void> {
  const push: Push = {
    ref: refOf(tip),
    before: tip.before,
    after: tip.commit_sha,
    message: tip.commit_message,
    pusher: null,
    paths: tip.paths,
  };
  const arrived = { hookId, bodyHash: null, pushes: [push] };
  const project = await findPushedProject(rows, tip.project_id, repositoryKey(tip.repository), arrived);
  if (project === null) return;
  if (!project.isRead) await rows.run(repositoryReadWrite(rows, project.project.id, tip.repository));
  const actor = { type: "server", id: serverId, name: serverName } as const;
  const arrival: Arrival = {
    accountId: rows.accountId,
    origin: { hookId, source: "poll", receivedAt: foundAt, event: null, deliveryId: null, bodyHash: null },
    repository: tip.repository,
    newRowId: () => id,
    repeated: "same_row",
    ...(hookId === null ? {} : { noted: withSentence }),
    trigger: "poll",
    actorOf: () => actor,
    person: null,
    requestKeyOf: () => `poll:${id}`,
    auditOf: (_push, projectId) => ({
      ...{ id: auditId, projectId, createdAt: foundAt, actor, ip: null, requestId: null },
      ...{ action: "findPush", outcome: "done", code: null, target: null, changes: null },
    }),
  };
  const taken = await decidePushes(services, arrival, [{ ...project, unread: null }], [push]);
  if (taken.some(({ decision }) => decision.reason === "unavailable"))
    throw new Error("the lane did not start the deployment");
  for (const row of rowsOfCaller(taken)) await rows.run(rows.insertIfNew(pushes, row));
}

function withSentence(taken: DecidedPush): DecidedPush {
  return { ...taken, detail: taken.detail === null ? NOT_REPORTED : `${NOT_REPORTED} ${taken.detail}` };
}

function refOf({ branch }: TipMoved): string {
  return `refs/heads/${branch}`;
}
