import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { CreateProjectInput, Project } from "#contract/projects.ts";
import { defaultDomain, defaultDomainWithSuffix } from "#domain/default-domain.ts";
import type { Context } from "#worker/context.ts";
import type { ProjectRecord } from "#worker/db/find-project.ts";
import { insertProject } from "#worker/db/insert-project.ts";
import { projectView } from "#worker/views/project-view.ts";

type CreateProjectRefusal =
  | "insufficient_scope"
  | "invalid_request"
  | "name_taken"
  | "domain_taken"
  | "too_many";

/**
 * Creates a project. Where it names no domain, it gets `<name>.<BASE_DOMAIN>`, or, where that one is used by another
 * project of the installation, the same with the end of its id behind the name.
 */
export async function createProject(
  context: Context,
  input: CreateProjectInput,
): Promise<Result<Project, CreateProjectRefusal>> {
  if (context.token.projectIds !== null)
    return refuse(
      "insufficient_scope",
      "The token is limited to some projects, so it cannot create another.",
    );
  const project = newProject(context, input);
  let insertion = await insertProject(context.rows, project);
  if (insertion === "domain_taken" && input.domain === undefined) {
    project.domain = defaultDomainWithSuffix(input.name, project.id, context.baseDomain);
    insertion = await insertProject(context.rows, project);
  }
  switch (insertion) {
    case "inserted":
      return succeed(projectView(project, null));
    case "name_taken":
      return refuse("name_taken", `The account already has a project named ${input.name}.`);
    case "domain_taken":
      return refuse("domain_taken", `The domain ${project.domain} belongs to another project.`);
    case "no_such_server":
      return unknownServer(input.server_id);
    case "too_many":
      return refuse("too_many", "The account has as many projects as it can: 1,000.");
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
    framework: input.framework,
    rootDirectory: input.root_directory,
    buildCommand: input.build_command,
    outputDirectory: input.output_directory,
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

function unknownServer(serverId: ServerId) {
  return refuse("invalid_request", `There is no server ${serverId} in this account.`, [
    { pointer: "/server_id", message: "is not a server of this account" },
  ]);
}
