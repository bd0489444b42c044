import type { Actor, DeploymentTrigger } from "#contract/endpoints/deployments/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import type { AccountId, DeploymentId, MemberId, ProjectId, PushId } from "#contract/ids.ts";
import { decidePush } from "#domain/pushes/decide-push.ts";
import type { Push } from "#domain/pushes/push.ts";
import type { Services } from "#worker/context.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import type { NewPush } from "#worker/db/pushes/push-records.ts";
import type { AskedProject } from "#worker/operations/pushes/ask-for-repositories.ts";
import { ledgerRow, type LedgerOrigin } from "#worker/operations/pushes/ledger-rows.ts";
import { startPushed } from "#worker/operations/pushes/start-pushed.ts";
import type { DecidedPush } from "#worker/operations/pushes/decided-push.ts";

/** How pushes arrived. */
export type Arrival = {
  readonly accountId: AccountId;
  readonly origin: LedgerOrigin;
  /** The address of the repository, as in the hook or the settings. */
  readonly repository: string;
  /** Creates the id of a row in the ledger. */
  readonly newRowId: () => PushId;
  /**
   * What it means that the lane has accepted the same start before: `same_row`, this is a repeated try with the same row;
   * `duplicate`, this is another delivery of the push, with a row of its own.
   */
  readonly repeated: "same_row" | "duplicate";
  /** What a row of the ledger says about a decision. */
  readonly noted?: (taken: DecidedPush) => DecidedPush;
  readonly trigger: Exclude<DeploymentTrigger, "api">;
  readonly actorOf: (push: Push) => Actor;
  /** The member who replays the pushes; null: nobody. Who has pushed is known to the forge only. */
  readonly person: MemberId | null;
  /**
   * The same for each try, so that it starts one deployment; null: it is not repeated.
   * @param before how many deployments the same delivery has started before
   */
  readonly requestKeyOf: (push: Push, projectId: ProjectId, before: number) => string | null;
  /** The entry of a start in the audit log; null: the caller records it. */
  readonly auditOf: (push: Push, projectId: ProjectId) => StoredEntry | null;
};

/** `row`: of the ledger. */
export type NotedPush = DecidedPush & { readonly row: NewPush };

/**
 * Decides about pushes for each project of their repository, and starts the deployments that follow. Safe to repeat.
 * Each row of the ledger has one writer: the lane writes the rows of the deployments that it starts, together with
 * them, and the caller all others (`rowsOfCaller`). So no deployment lacks its row or has two, if the caller dies or
 * repeats.
 */
export async function decidePushes(
  services: Pick<Services, "lanes" | "near">,
  arrival: Arrival,
  projects: readonly AskedProject[],
  pushes: readonly Push[],
): Promise<NotedPush[]> {
  if (projects.length === 0)
    return pushes.map((push) => withRow(arrival, arrival.newRowId(), noProject(arrival, push, null)));
  const taken = await Promise.all(
    projects.map(async (project) => {
      const ofProject: NotedPush[] = [];
      // In order: the last one wins if the project's queue keeps only the latest.
      for (const push of pushes) ofProject.push(await takePush(services, arrival, project, push));
      return ofProject;
    }),
  );
  return taken.flat();
}

/** The rows that no lane writes: of pushes that started nothing. */
export function rowsOfCaller(taken: readonly NotedPush[]): NewPush[] {
  return taken.flatMap(({ row, deployment }) => (deployment === null ? [row] : []));
}

/** Whether a deployment should have been started, and the lane did not answer. */
export function isUnavailable({ decision }: DecidedPush): boolean {
  return decision.reason === "unavailable";
}

async function takePush(
  services: Pick<Services, "lanes" | "near">,
  arrival: Arrival,
  found: AskedProject,
  push: Push,
): Promise<NotedPush> {
  const rowId = arrival.newRowId();
  const decided = decide(arrival, found, push);
  if (decided.decision.decision !== "deployed" || push.after === null)
    return withRow(arrival, rowId, decided);
  const { accountId, trigger, actorOf, person, requestKeyOf, auditOf } = arrival;
  const { project, startedBefore } = found;
  const started = await startPushed(services, found, {
    accountId,
    actor: actorOf(push),
    person,
    trigger,
    requestKey: requestKeyOf(push, project.id, startedBefore.get(push.ref)?.count ?? 0),
    audit: auditOf(push, project.id),
    push: { ref: push.ref, after: push.after },
    ledgerRow: withRow(arrival, rowId, decided).row,
  });
  const taken = outcomeOf(arrival, decided, project, started);
  // A lane that did not answer may have started the deployment, and writes the row with this id then.
  return withRow(arrival, isUnavailable(taken) ? arrival.newRowId() : rowId, taken);
}

function outcomeOf(
  arrival: Arrival,
  decided: DecidedPush,
  project: NonNullable<DecidedPush["project"]>,
  started: Awaited<ReturnType<typeof startPushed>>,
): DecidedPush {
  if (started.ok) {
    const { id, version } = started.value.started;
    return started.value.isRepeated && arrival.repeated === "duplicate"
      ? duplicateOf(id, decided)
      : { ...decided, deployment: { id, version } };
  }
  const { code, detail } = started.refusal;
  return code === "not_found"
    ? noProject(arrival, decided.push, project)
    : { ...decided, decision: { decision: "refused", reason: code }, detail };
}

function withRow({ origin, noted = (taken) => taken }: Arrival, id: PushId, taken: DecidedPush): NotedPush {
  return { ...taken, row: ledgerRow(id, origin, noted(taken)) };
}

function decide(
  { origin }: Arrival,
  { project, unread, live, startedBefore }: AskedProject,
  push: Push,
): DecidedPush {
  const taken = { push, project, deployment: null, liveSha: null };
  if (unread !== null)
    return { ...taken, decision: { decision: "refused", reason: "repository_unread" }, detail: unread };
  const before = startedBefore.get(push.ref);
  if (before !== undefined && before.deploymentId !== null) return duplicateOf(before.deploymentId, taken);
  const { deploy_on: deployOn } = settingsOf(project);
  const { detail, ...decision } = decidePush(
    { deployOn, branch: project.branch },
    push,
    live,
    origin.source === "replay",
  );
  const liveSha = decision.reason === "paths_unchanged" ? live.commit : null;
  return { ...taken, decision, detail, liveSha };
}

function duplicateOf(
  id: DeploymentId,
  taken: Pick<DecidedPush, "push" | "project" | "deployment" | "liveSha">,
): DecidedPush {
  const detail = `The same delivery has started the deployment ${id} before.`;
  return { ...taken, decision: { decision: "ignored", reason: "duplicate" }, detail };
}

function noProject({ repository }: Arrival, push: Push, project: DecidedPush["project"]): DecidedPush {
  const detail =
    project === null
      ? `No project has the repository ${maskRepository(repository)}.`
      : `The project ${project.name} was deleted.`;
  const decision = { decision: "ignored", reason: "no_project" } as const;
  return { push, project, decision, detail, deployment: null, liveSha: null };
}
