import { isOverSsh, repositoryKey } from "#contract/forge.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { CreateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { projectServers } from "#contract/endpoints/projects/servers.ts";
import { defaultDomain, defaultDomainWithSuffix } from "#domain/default-domain.ts";
import { isShared } from "#domain/fleet/fleet-state.ts";
import { splitLogin } from "#domain/repository-login.ts";
import type { Context } from "#worker/context.ts";
import { newSettings } from "#worker/db/projects/settings-column.ts";
import { findProject, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { insertProject } from "#worker/db/projects/insert-project.ts";
import { findProjectWithServing, notServed } from "#worker/db/projects/project-with-serving.ts";
import { findServersToSealFor, withBuilder } from "#worker/db/variables/sealing-servers.ts";
import type { NewRevision } from "#worker/db/variables/revision-writes.ts";
import {
  domainTaken,
  nameTaken,
  refuseCron,
  refuseServers,
} from "#worker/operations/projects/project-refusals.ts";
import { tooMany } from "#worker/operations/refusals.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { namedProject } from "#worker/operations/changes/targets.ts";
import { actorOf } from "#worker/operations/deployments/lane-command.ts";
import { checkEntry } from "#worker/operations/projects/check-entry.ts";
import { projectFleetChanged } from "#worker/operations/projects/fleet-changed.ts";
import { sealRepositoryToken } from "#worker/secrets/repository-token.ts";
import { prepareDeployKeys } from "#worker/operations/repositories/deploy-key.ts";
import { projectView } from "#worker/views/project-view.ts";

type CreateProjectRefusal =
  | "invalid_request"
  | "agent_outdated"
  | "name_taken"
  | "domain_taken"
  | "too_many"
  | "no_seal_key";

/**
 * Creates a project. Without a domain it gets `<name>.<BASE_DOMAIN>`. If another project of the installation uses that
 * domain, the end of the project's id is appended to the name. A retry of the same request returns the project that the
 * first try created. A password in the repository's address becomes a secret of the project.
 */
export async function createProject(
  context: Context,
  input: CreateProjectInput,
): Promise<Result<Project, CreateProjectRefusal>> {
  const wrongCron = refuseCron(input.cron);
  if (wrongCron !== null) return wrongCron;
  const placed = await checkEntry(
    context,
    { ...input, servers: projectServers(input.server_id, input.servers) },
    input,
  );
  if (!placed.ok) return placed;
  const login = splitLogin(input.repository);
  const project = newProject(context, { ...input, repository: login?.address ?? input.repository });
  const token = await firstVariables(context, project, login?.token ?? null, input);
  if (!token.ok) return token;
  const { reference, target } = namedProject(project);
  const recorded = requestWrites(context, {
    event: { type: "project.created", data: { project: reference, changed: [] } },
    ...{ target, projectId: project.id },
  });
  let insertion = await insertProject(context.rows, project, token.value, recorded);
  if (insertion === "domain_taken" && input.domain === undefined) {
    project.domain = defaultDomainWithSuffix(input.name, project.id, context.baseDomain);
    insertion = await insertProject(context.rows, project, token.value, recorded);
  }
  if (insertion !== "inserted" && context.requestKey !== null) {
    const added = await findProject(context.rows, project.id);
    if (added !== null) return await shown(context, added);
  }
  switch (insertion) {
    case "inserted":
      announceLater(context);
      context.defer(prepareKey(context, project));
      if (isShared(input)) context.defer(projectFleetChanged(context, project.id));
      return await shown(context, project);
    case "added_before":
      throw new Error("the project that an earlier try created no longer exists");
    case "name_taken":
      return nameTaken(input.name);
    case "domain_taken":
      return domainTaken(project.domain, ...input.aliases.map(({ domain }) => domain));
    case "no_such_server":
      return await refuseServers(context, input);
    case "too_many":
      return tooMany("projects");
  }
}

/** The project, with the states of its servers if it has several. */
async function shown({ latestRows: rows }: Context, project: ProjectRecord): Promise<Result<Project, never>> {
  const isAlone = project.settings.servers.length === 0 && project.settings.entry.type !== "balancer";
  if (isAlone) return succeed(projectView(project, notServed));
  const found = await findProjectWithServing(rows, project.id);
  return succeed(found === null ? projectView(project, notServed) : projectView(found.project, found));
}

/** Reads the project again if it needs a key: where its server is decides where the link is. Never throws. */
async function prepareKey(context: Context, { id, repository }: ProjectRecord): Promise<void> {
  if (!isOverSsh(repository)) return;
  try {
    const project = await findProject(context.latestRows, id);
    if (project !== null) await prepareDeployKeys(context, project);
  } catch (error) {
    logFailure("prepare deploy key", { project_id: id }, error);
  }
}

/** The first revision of a project's variables: the password of its repository's address. null without a password. */
async function firstVariables(
  context: Context,
  { id: projectId, serverId, createdAt, settings }: ProjectRecord,
  token: string | null,
  input: CreateProjectInput,
): Promise<Result<NewRevision | null, "invalid_request" | "no_seal_key" | "too_many">> {
  if (token === null) return succeed(null);
  const members = projectServers(serverId, settings.servers).map(({ id }) => id);
  const servers = await findServersToSealFor(context.rows, withBuilder(members, settings.build_on));
  if (servers === null) return await refuseServers(context, input);
  return await sealRepositoryToken(token, [], {
    accountId: context.account.id,
    projectId,
    revision: 1,
    servers,
    changedAt: createdAt,
    changedBy: actorOf(context),
    eventId: context.ids.event(),
  });
}

function newProject({ ids, clock, baseDomain }: Context, input: CreateProjectInput): ProjectRecord {
  return {
    id: ids.project(),
    serverId: input.server_id,
    name: input.name,
    domain: input.domain ?? defaultDomain(input.name, baseDomain),
    repository: input.repository,
    branch: input.branch,
    settings: newSettings(input),
    detected: null,
    repositoryKey: repositoryKey(input.repository),
    readRepository: null,
    createdAt: clock.now(),
    lastDeployAt: null,
    url: null,
    servingRelease: null,
    servingCheckedAt: null,
    reportedProcesses: null,
    ingressProblem: null,
    health: null,
    deployKey: null,
    maintenance: null,
  };
}
