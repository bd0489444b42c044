import type { DeploymentTrigger } from "#contract/endpoints/deployments/schemas.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { type Push, readRef } from "#domain/pushes/push.ts";
import type { Services } from "#worker/context.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import type { NewPush } from "#worker/db/pushes/push-records.ts";
import type { ProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import { logFailure } from "#worker/log-failure.ts";
import type { Started } from "#worker/objects/project-lane/lane-commands.ts";
import { findUnfitServers } from "#worker/operations/servers/unfit-servers.ts";
import { type Asking, laneCommand } from "#worker/operations/deployments/lane-command.ts";

/**
 * A push that is to be deployed. `requestKey`: the same for each try, so that it starts one deployment. `ledgerRow`: of
 * the decision, to which the lane adds the deployment.
 */
export type PushedStart = Asking & {
  readonly trigger: Exclude<DeploymentTrigger, "api">;
  readonly push: Pick<Push, "ref"> & { readonly after: string };
  readonly ledgerRow: NewPush;
};

type StartRefusal =
  | "not_found"
  | "queue_full"
  | "secrets_not_sealed"
  | "agent_outdated"
  | "containers_missing"
  | "unavailable";

/**
 * Starts a deployment of a pushed branch or tag. Of a branch, the agent deploys what it points to then: pushes may be
 * reported late and in another order. A tag is deployed at the commit that was pushed.
 */
export async function startPushed(
  services: Pick<Services, "lanes" | "near">,
  found: ProjectToDeploy,
  { trigger, push, ledgerRow, ...asking }: PushedStart,
): Promise<Result<Started, StartRefusal>> {
  const { project } = found;
  const unfit = findUnfitServers(found);
  if (unfit !== null) return refuse(unfit.code, unfit.text);
  const { kind, name } = readRef(push.ref);
  const isPinned = kind === "tag" && settingsOf(project).commits !== "none";
  const command = {
    ...laneCommand(asking, found),
    ifLive: null,
    input: { branch: name, ...(isPinned ? { commit: push.after } : {}) },
    defaultBranch: project.branch,
    push: { trigger, commitSha: push.after },
    ledgerRow,
  };
  const lane = services.lanes.getByName(project.id, services.near(project.serverLocation));
  try {
    const started = await lane.start(command);
    if (started.ok) return started;
    const { code, detail } = started.refusal;
    if (code !== "live_changed") return refuse(code, detail);
    throw new Error("a start without If-Live was refused because of it");
  } catch (error) {
    logFailure("pushes", { what: "start deployment", project_id: project.id }, error);
    return refuse("unavailable", "The deployment could not be started at this time.");
  }
}
