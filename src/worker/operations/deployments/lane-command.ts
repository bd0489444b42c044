import type { Actor, DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { type ProblemCode, type Result, succeed } from "#contract/problems.ts";
import { defaultTimeouts } from "#contract/stages.ts";
import type { Plan } from "#domain/lane/lane.ts";
import type { Context } from "#worker/context.ts";
import { givenSettings } from "#worker/db/projects/build-columns.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import type { ProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import type { Started } from "#worker/objects/project-lane/lane-commands.ts";

/** The fields of a lane's command that come from the request and from the project's current settings. */
export function commandFor(context: Context, { project, variables }: ProjectToDeploy) {
  return {
    variables,
    owner: { accountId: context.account.id, projectId: project.id },
    serverId: project.serverId,
    actor: actorOf(context),
    plan: planOf(project),
    queue: project.queue,
    requestKey: context.requestKey,
  };
}

/** The lane's answer for the client. Passes the bookmark of the lane's write to the request's session. */
export function answerOf<Code extends ProblemCode>(
  { session }: Context,
  result: Result<Started, Code>,
): Result<DeploymentStarted, Code> {
  if (!result.ok) return result;
  session.note(result.value.bookmark);
  return succeed(result.value.started);
}

/** Who sent the request. */
export function actorOf({ token }: Pick<Context, "token">): Actor {
  return { type: "token", id: token.id, name: token.name };
}

function planOf(project: ProjectRecord): Plan {
  return {
    projectName: project.name,
    domain: project.domain,
    repository: project.repository,
    defaultBranch: project.branch,
    commits: project.commits,
    rootDirectory: project.rootDirectory,
    build: givenSettings(project),
    releaseCommand: project.releaseCommand,
    activateCommand: project.activateCommand,
    sharedPaths: project.sharedPaths,
    keepReleases: project.keepReleases,
    healthCheck: project.healthCheck,
    limits: project.limits,
    timeouts: { ...defaultTimeouts, ...project.timeouts },
    processes: project.processes,
    drainSeconds: project.drainSeconds,
    aliases: project.aliases,
    cron: project.cron,
    maintenance: project.maintenance,
  };
}
