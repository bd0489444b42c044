import { cronServer, type ProjectServer, servesDomain } from "#contract/endpoints/projects/servers.ts";
import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { otherBuilder } from "#contract/endpoints/projects/other-builder.ts";
import type { Context } from "#worker/context.ts";
import type { LocatedProject } from "#worker/db/projects/find-project.ts";
import { findMemberLocations, findServerLocation } from "#worker/db/projects/project-servers.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";

/**
 * The project on each of its servers that serves its domain, for requests to their agents. Costs a read of D1 if the project
 * has several.
 * @param project on its first server
 */
export async function onWebServers<Project extends LocatedProject>(
  context: Context,
  project: Project,
): Promise<Project[]> {
  return await onServers(context, project, settingsOf(project).servers.filter(servesDomain));
}

/** The project on the server that runs its cron jobs. As `onWebServers`. */
export async function onCronServer<Project extends LocatedProject>(
  context: Context,
  project: Project,
): Promise<Project> {
  const { servers } = settingsOf(project);
  const id = cronServer(servers);
  const [there] = await onServers(
    context,
    project,
    servers.filter((server) => server.id === id),
  );
  return there ?? project;
}

/**
 * The project on one of its servers. As `onWebServers`, if it is not the first.
 * @param project on its first server
 * @param serverId undefined: the first
 */
export async function onServer<Project extends LocatedProject>(
  { rows }: Pick<Context, "rows">,
  project: Project,
  serverId: ServerId | undefined,
): Promise<Result<Project, "not_found">> {
  if (serverId === undefined || serverId === project.serverId) return succeed(project);
  const found = project.settings.servers.length === 0 ? [] : await findMemberLocations(rows, project.id);
  const location = found.find((one) => one.serverId === serverId);
  if (location !== undefined) return succeed({ ...project, ...location });
  return refuse("not_found", `The project ${project.name} does not run on a server ${serverId}.`);
}

/** The project on each of its servers whose deploy key is not known. As `onWebServers`. */
export async function onServersWithoutKey<Project extends LocatedProject>(
  { rows }: Pick<Context, "rows">,
  project: Project,
): Promise<Project[]> {
  if (project.settings.servers.length === 0) return project.deployKey === null ? [project] : [];
  const found = await findMemberLocations(rows, project.id, { withoutKey: true });
  return found.map((location) => ({ ...project, ...location }));
}

/**
 * The project on the server that only builds for its servers: it alone needs the repository. Costs a read of D1 if there is
 * one. null: its own servers read the repository.
 */
export async function onBuilder<Project extends LocatedProject>(
  { rows }: Pick<Context, "rows">,
  project: Project,
): Promise<Project | null> {
  const builder = otherBuilder(settingsOf(project));
  if (builder === null) return null;
  const location = await findServerLocation(rows, builder);
  return location === null ? null : { ...project, ...location };
}

/** As `onWebServers`, of some of the servers; on its first server if none of them is one of several. */
async function onServers<Project extends LocatedProject>(
  { rows }: Context,
  project: Project,
  servers: readonly ProjectServer[],
): Promise<Project[]> {
  if (project.settings.servers.length === 0) return [project];
  const found = await findMemberLocations(rows, project.id);
  return servers.flatMap(({ id: serverId }) => {
    const location = found.find((one) => one.serverId === serverId);
    return location === undefined ? [] : [{ ...project, ...location }];
  });
}
