import type { Actor, DeploymentTrigger } from "#contract/endpoints/deployments/schemas.ts";
import type { Decision, PushSource } from "#contract/endpoints/hooks/push-decisions.ts";
import { deployOnOf } from "#contract/endpoints/projects/deploy-on.ts";
import type { AccountId, DeploymentId, HookId, ProjectId } from "#contract/ids.ts";
import { decidePush } from "#domain/pushes/decide-push.ts";
import type { Push } from "#domain/pushes/push.ts";
import type { Services } from "#worker/context.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import type { PushedProject } from "#worker/db/pushes/find-pushed-projects.ts";
import { startPushed } from "#worker/operations/pushes/start-pushed.ts";

/** How pushes arrived. */
export type Arrival = {
  readonly accountId: AccountId;
  /** The hook of the repository; null: it has none. */
  readonly hookId: HookId | null;
  readonly source: PushSource;
  readonly trigger: Exclude<DeploymentTrigger, "api">;
  readonly actorOf: (push: Push) => Actor;
  /**
   * The same for each try, so that it starts one deployment; null: it is not repeated.
   * @param before how many deployments the same delivery has started before
   */
  readonly requestKeyOf: (push: Push, projectId: ProjectId, before: number) => string | null;
  /** The entry of a start in the audit log; null: the caller records it. */
  readonly auditOf: (push: Push, projectId: ProjectId) => StoredEntry | null;
};

/** What was decided about a push for a project. `project`: null: there is none. */
export type TakenPush = {
  readonly push: Push;
  readonly project: { readonly id: ProjectId; readonly name: string } | null;
  readonly decision: Decision;
  readonly detail: string | null;
  readonly deployment: { readonly id: DeploymentId; readonly version: number } | null;
  /** The commit that was live, if paths skipped the push. */
  readonly liveSha: string | null;
};

/**
 * Decides about pushes for each project of their repository, and starts the deployments that follow. Safe to repeat. The
 * caller writes the ledger (`ledgerRows`).
 */
export async function takePushes(
  lanes: Services["lanes"],
  arrival: Arrival,
  projects: readonly PushedProject[],
  pushes: readonly Push[],
): Promise<TakenPush[]> {
  if (projects.length === 0) return pushes.map((push) => noProject(push, null));
  const taken = await Promise.all(
    projects.map(async (project) => {
      const ofProject: TakenPush[] = [];
      // In order: the last one wins if the project's queue keeps only the latest.
      for (const push of pushes) ofProject.push(await takePush(lanes, arrival, project, push));
      return ofProject;
    }),
  );
  return taken.flat();
}

/** Whether a deployment should have been started, and the lane did not answer. */
export function isUnavailable({ decision }: TakenPush): boolean {
  return decision.reason === "unavailable";
}

async function takePush(
  lanes: Services["lanes"],
  { accountId, source, trigger, actorOf, requestKeyOf, auditOf }: Arrival,
  found: PushedProject,
  push: Push,
): Promise<TakenPush> {
  const { project, live, startedBefore } = found;
  const taken = { push, project, deployment: null, liveSha: null };
  const before = startedBefore.get(push.ref);
  if (before !== undefined && before.deploymentId !== null)
    return {
      ...taken,
      decision: { decision: "ignored", reason: "duplicate" },
      detail: `The same delivery has started the deployment ${before.deploymentId} before.`,
    };
  const deployOn = deployOnOf(project.deployOn);
  const { detail, ...decision } = decidePush(
    { deployOn, branch: project.branch },
    push,
    live,
    source === "replay",
  );
  const liveSha = decision.reason === "paths_unchanged" ? live.commit : null;
  if (decision.decision !== "deployed" || push.after === null) return { ...taken, decision, detail, liveSha };
  const started = await startPushed(lanes, found, {
    accountId,
    actor: actorOf(push),
    trigger,
    requestKey: requestKeyOf(push, project.id, before?.count ?? 0),
    audit: auditOf(push, project.id),
    push: { ref: push.ref, after: push.after },
  });
  if (started.ok) {
    const { id, version } = started.value.started;
    return { ...taken, decision, detail, deployment: { id, version } };
  }
  const { code, detail: why } = started.refusal;
  return code === "not_found"
    ? noProject(push, project)
    : { ...taken, decision: { decision: "refused", reason: code }, detail: why };
}

function noProject(push: Push, project: TakenPush["project"]): TakenPush {
  const detail =
    project === null ? "No project has this repository." : `The project ${project.name} was deleted.`;
  const decision = { decision: "ignored", reason: "no_project" } as const;
  return { push, project, decision, detail, deployment: null, liveSha: null };
}
