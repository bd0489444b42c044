import type { DeploymentStarted, StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import { findProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import type { refuseArtifact } from "#worker/operations/artifacts/client-parts.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { refuseUnfitServers } from "#worker/operations/servers/unfit-servers.ts";
import { commandFor, answerOf } from "#worker/operations/deployments/lane-command.ts";

export type StartDeployment = {
  projectId: ProjectId;
  input: StartDeploymentInput;
  /** Refuse unless this deployment is still live. */
  ifLive: DeploymentId | null;
};

/**
 * Starts a deployment of a project: of its own branch, another branch, or a commit.
 * Takes one D1 round trip and one to the lane, which writes to D1 once before it answers.
 */
export async function startDeployment(
  context: Context,
  { projectId, input, ifLive }: StartDeployment,
): Promise<
  Result<
    DeploymentStarted,
    | "not_found"
    | "invalid_request"
    | "queue_full"
    | "live_changed"
    | "secrets_not_sealed"
    | "agent_outdated"
    | "containers_missing"
    | "artifact_not_allowed"
    | "artifact_incomplete"
    | "artifact_unreadable"
    | "unavailable"
  >
> {
  const found = await findProjectToDeploy(context.rows, projectId, "current");
  if (found === null) return notFound("project");
  const unfit = refuseUnfitServers(context, found);
  if (unfit !== null) return unfit;
  const { project } = found;
  const { artifact } = input;
  const refused = artifact === undefined ? null : await refuseUploaded(context, found, artifact);
  if (refused !== null) return refused;
  if (input.commit !== undefined && artifact === undefined && settingsOf(project).commits === "none")
    return refuse(
      "invalid_request",
      "This project does not deploy commits by hash: its setting `commits` is `none`.",
      [{ pointer: "/commit", message: "is not allowed: the project's `commits` is `none`" }],
    );
  const lane = context.lanes.getByName(projectId, context.near(project.serverLocation));
  const command = {
    ...commandFor(context, found, input.emergency),
    ifLive,
    input,
    defaultBranch: project.branch,
  };
  return artifact === undefined
    ? answerOf(context, await lane.start(command))
    : answerOf(context, await lane.startUploaded(command, artifact));
}

/** Loaded when it is called, because few deployments bring a build. */
async function refuseUploaded(...asked: Parameters<typeof refuseArtifact>) {
  const parts = await import("#worker/operations/artifacts/client-parts.ts");
  return await parts.refuseArtifact(...asked);
}
