import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result } from "#contract/problems.ts";
import type { Project, UpdateProjectInput } from "#contract/endpoints/projects/schemas.ts";
import type { Context } from "#worker/context.ts";
import { automaticColumns, buildColumns } from "#worker/db/projects/build-columns.ts";
import { type ProjectChanges, updateProject as changeProject } from "#worker/db/projects/update-project.ts";
import { notFound, domainTaken, nameTaken, unknownServer } from "#worker/operations/refusals.ts";
import { getProject } from "#worker/operations/projects/get-project.ts";

type UpdateProjectRefusal =
  | "insufficient_scope"
  | "not_found"
  | "invalid_request"
  | "name_taken"
  | "domain_taken";

/**
 * Changes a project's settings. Running and queued deployments keep the settings with which they were started. After a
 * change of server, the old server serves the project until a deployment is live on the new one. A new name does not
 * change the domain. A token that is limited to some projects cannot change the server: on another server, the
 * project's commands would run beside projects that the token cannot access.
 */
export async function updateProject(
  context: Context,
  id: ProjectId,
  input: UpdateProjectInput,
): Promise<Result<Project, UpdateProjectRefusal>> {
  const changes = changesOf(input);
  const isChange = Object.values(changes).some((value) => value !== undefined);
  const mayMove = context.token.projectIds === null;
  const update = isChange ? await changeProject(context.rows, id, changes, { mayMove }) : "updated";
  switch (update) {
    case "updated":
      return await getProject(context, id);
    case "no_such_project":
      return notFound("project");
    case "on_another_server":
      return refuse(
        "insufficient_scope",
        "The token is limited to some projects, so it cannot move a project to another server: do not change server_id.",
      );
    case "no_such_server":
      return input.server_id === undefined ? notFound("project") : unknownServer(input.server_id);
    case "name_taken":
      return nameTaken(input.name ?? "");
    case "domain_taken":
      return domainTaken(input.domain ?? "");
  }
}

function changesOf(input: UpdateProjectInput): ProjectChanges {
  return {
    name: input.name,
    serverId: input.server_id,
    domain: input.domain,
    repository: input.repository,
    branch: input.branch,
    commits: input.commits,
    ...automaticColumns(input.automatic ?? []),
    ...buildColumns(input),
    rootDirectory: input.root_directory,
    activateCommand: input.activate_command,
    sharedPaths: input.shared_paths,
    keepReleases: input.keep_releases,
    healthCheck: input.health_check,
    timeouts: input.timeouts,
    queue: input.queue,
  };
}
