import { type Result, succeed } from "#contract/problems.ts";
import type { CreateProjectInput, Project } from "#contract/endpoints/projects/schemas.ts";
import { defaultDomain, defaultDomainWithSuffix } from "#domain/default-domain.ts";
import type { Context } from "#worker/context.ts";
import { buildColumns } from "#worker/db/projects/build-columns.ts";
import { findProject, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { insertProject } from "#worker/db/projects/insert-project.ts";
import { nameTaken, domainTaken, unknownServer, tooMany } from "#worker/operations/refusals.ts";
import { projectView } from "#worker/views/project-view.ts";

type CreateProjectRefusal = "invalid_request" | "name_taken" | "domain_taken" | "too_many";

/**
 * Creates a project. Without a domain it gets `<name>.<BASE_DOMAIN>`. If another project of the installation uses that
 * domain, the end of the project's id is appended to the name. A retry of the same request returns the project that the
 * first try created.
 */
export async function createProject(
  context: Context,
  input: CreateProjectInput,
): Promise<Result<Project, CreateProjectRefusal>> {
  const project = newProject(context, input);
  let insertion = await insertProject(context.rows, project);
  if (insertion === "domain_taken" && input.domain === undefined) {
    project.domain = defaultDomainWithSuffix(input.name, project.id, context.baseDomain);
    insertion = await insertProject(context.rows, project);
  }
  if (insertion !== "inserted" && context.requestKey !== null) {
    const added = await findProject(context.rows, project.id);
    if (added !== null) return succeed(projectView(added, null));
  }
  switch (insertion) {
    case "inserted":
      return succeed(projectView(project, null));
    case "added_before":
      throw new Error("the project that an earlier try created no longer exists");
    case "name_taken":
      return nameTaken(input.name);
    case "domain_taken":
      return domainTaken(project.domain);
    case "no_such_server":
      return unknownServer(input.server_id);
    case "too_many":
      return tooMany("projects");
  }
}

function newProject({ ids, clock, baseDomain }: Context, input: CreateProjectInput): ProjectRecord {
  return {
    id: ids.project(),
    serverId: input.server_id,
    name: input.name,
    domain: input.domain ?? defaultDomain(input.name, baseDomain),
    repository: input.repository,
    branch: input.branch,
    commits: input.commits,
    framework: null,
    buildCommand: null,
    outputDirectory: null,
    ...buildColumns(input),
    detected: null,
    rootDirectory: input.root_directory,
    activateCommand: input.activate_command,
    sharedPaths: input.shared_paths,
    keepReleases: input.keep_releases,
    healthCheck: input.health_check,
    timeouts: input.timeouts,
    queue: input.queue,
    createdAt: clock.now(),
    lastDeployAt: null,
    url: null,
    servingRelease: null,
    servingCheckedAt: null,
  };
}
