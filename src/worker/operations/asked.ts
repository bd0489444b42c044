import type { Actor } from "#contract/deployments.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { Plan } from "#domain/lane/lane.ts";
import type { Context } from "#worker/context.ts";
import type { ProjectRecord } from "#worker/db/find-project.ts";

/** What a lane needs to know of whoever starts something, and of the project as it is set up now. */
export function askedBy(context: Context, project: ProjectRecord, ifLive: DeploymentId | null) {
  return {
    owner: { accountId: context.account.id, projectId: project.id },
    serverId: project.serverId,
    actor: actorOf(context),
    plan: planOf(project),
    queue: project.queue,
    ifLive,
  };
}

export function actorOf(context: Context): Actor {
  return { type: "token", id: context.token.id, name: context.token.name };
}

function planOf(project: ProjectRecord): Plan {
  return {
    projectName: project.name,
    domain: project.domain,
    repository: project.repository,
    rootDirectory: project.rootDirectory,
    buildCommand: project.buildCommand,
    outputDirectory: project.outputDirectory,
    activateCommand: project.activateCommand,
    sharedPaths: project.sharedPaths,
    keepReleases: project.keepReleases,
    healthCheck: project.healthCheck,
    timeouts: project.timeouts,
  };
}
