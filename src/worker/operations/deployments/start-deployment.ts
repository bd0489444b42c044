import type { DeploymentStarted, StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import type { DeploymentId, ProjectId } from "#contract/ids.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { notFound } from "#worker/operations/not-found.ts";
import { askedBy, startedIn } from "#worker/operations/asked.ts";

export type StartDeployment = {
  projectId: ProjectId;
  input: StartDeploymentInput;
  /** Go on only if this deployment is still live. */
  ifLive: DeploymentId | null;
};

/**
 * Starts a deployment of a project: its branch, another one, or one commit.
 * Costs one D1 round trip and one to the lane, which writes D1 once before it answers.
 */
export async function startDeployment(
  context: Context,
  { projectId, input, ifLive }: StartDeployment,
): Promise<
  Result<DeploymentStarted, "not_found" | "invalid_request" | "queue_full" | "live_changed" | "unavailable">
> {
  const project = await findProject(context.rows, projectId);
  if (project === null) return notFound("project");
  if (input.commit !== undefined && project.commits === "none")
    return refuse(
      "invalid_request",
      "This project deploys no commit by its hash: its setting `commits` is `none`.",
      [{ pointer: "/commit", message: "cannot be given: the project's `commits` is `none`" }],
    );
  const asked = askedBy(context, project, ifLive);
  const lane = context.lanes.getByName(projectId);
  return startedIn(context, await lane.start({ ...asked, input, defaultBranch: project.branch }));
}
