import type { ProjectId, ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { projectServers } from "#contract/endpoints/projects/servers.ts";
import { isShared, serversToNotify } from "#domain/fleet/fleet-state.ts";
import type { Context } from "#worker/context.ts";
import { updateProject as changeProject } from "#worker/db/projects/update-project.ts";
import { findProjectWithServing } from "#worker/db/projects/project-with-serving.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import { findFleetProject } from "#worker/db/servers/fleet-rows.ts";
import {
  domainTaken,
  nameTaken,
  refuseCron,
  refuseServers,
  tooManyProcesses,
} from "#worker/operations/projects/project-refusals.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { settingsOrigin } from "#worker/operations/changes/request-changes.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { checkEntry } from "#worker/operations/projects/check-entry.ts";
import { newAddress, refuseMove } from "#worker/operations/projects/new-address.ts";
import { projectFleetChanged } from "#worker/operations/projects/fleet-changed.ts";
import { watchChanged } from "#worker/operations/projects/watch-changed.ts";
import { prepareDeployKeys } from "#worker/operations/repositories/deploy-key.ts";
import { projectView } from "#worker/views/project-view.ts";

type UpdateProjectRefusal =
  | "insufficient_scope"
  | "not_found"
  | "invalid_request"
  | "name_taken"
  | "domain_taken"
  | "too_many"
  | "no_seal_key"
  | "revision_conflict"
  | "reauthentication_required"
  | "agent_outdated";

/**
 * Changes a project's settings. Running and queued deployments keep the settings with which they were started. After a
 * change of server, the old server serves the project until a deployment is live on the new one. A new name does not
 * change the domain. A token that is limited to some projects cannot change the server: on another server, the
 * project's commands would run beside projects that the token cannot access. Nor can it change the entry, because
 * balancers read the requests of visitors. The session of a member must be confirmed before it weakens the approval
 * rule. A password in the repository's address becomes a secret of the project.
 */
export async function updateProject(
  context: Context,
  id: ProjectId,
  input: UpdateProjectInput,
): Promise<Result<Project, UpdateProjectRefusal>> {
  const wrongCron = refuseCron(input.cron);
  if (wrongCron !== null) return wrongCron;
  const mayMove = context.rows.projectIds === null;
  if (input.entry !== undefined && !mayMove) return refuseEntry();
  const fleetBefore = await checkFleet(context, id, input);
  if (!fleetBefore.ok) return fleetBefore;
  const repository = await newAddress(context, id, input);
  if (!repository.ok) return repository;
  const { address = input.repository, variables = null, checked = null } = repository.value ?? {};
  const changes = { ...input, repository: address };
  const isChange = Object.values({ ...changes, automatic: input.automatic?.[0] }).some(
    (value) => value !== undefined,
  );
  const unconfirmed = refuseUnconfirmed(context);
  const update = isChange
    ? await changeProject(context.rows, id, changes, {
        mayMove,
        mayWeaken: unconfirmed === null,
        variables,
        checked,
        origin: settingsOrigin(context, id),
      })
    : "updated";
  switch (update) {
    case "updated":
      if (isChange) announceLater(context);
      return await updated(context, id, input, fleetBefore.value);
    case "variables_changed":
      return refuse(
        "revision_conflict",
        "Another request changed the project's repository or variables at the same time. Send the request again.",
      );
    case "approval_weakened":
      if (unconfirmed !== null) return unconfirmed;
      throw new Error("a confirmed request was refused because it weakens the approval rule");
    case "no_such_project":
      return notFound("project");
    case "on_another_server":
      return refuseMove();
    case "no_such_server":
      return [input.server_id, input.servers, input.entry, input.build_on ?? undefined].every(
        (one) => one === undefined,
      )
        ? notFound("project")
        : await refuseServers(context, input);
    case "has_servers":
      return refuse("invalid_request", "The project has a list of servers: change servers, not server_id.", [
        { pointer: "/server_id", message: "is the first of servers, which must be changed instead" },
      ]);
    case "name_taken":
      return nameTaken(input.name ?? "");
    case "domain_taken":
      return domainTaken(...[input.domain ?? [], (input.aliases ?? []).map(({ domain }) => domain)].flat());
    case "too_many_processes":
      return tooManyProcesses();
  }
}

/**
 * Refuses servers that cannot serve the project together. Reads the project only if the request changes its servers or its
 * entry.
 * @returns the servers that had to know of others before the change
 */
async function checkFleet(
  context: Context,
  id: ProjectId,
  { entry, servers, server_id: serverId }: UpdateProjectInput,
): Promise<Result<readonly ServerId[], "not_found" | "invalid_request" | "agent_outdated">> {
  if (entry === undefined && servers === undefined && serverId === undefined) return succeed([]);
  const before = await findFleetProject(context.latestRows, id);
  if (before === null) return notFound("project");
  const moved = serverId === undefined ? before.servers : projectServers(serverId, []);
  const next = { entry: entry ?? before.entry, servers: servers ?? moved };
  const checked = await checkEntry(context, next, { servers, entry, server_id: serverId });
  return checked.ok ? succeed(serversToNotify(before)) : checked;
}

function refuseEntry() {
  return refuse(
    "insufficient_scope",
    "The token is limited to some projects, so it cannot choose which servers receive the requests of visitors: do not change entry.",
  );
}

/** Returns the project. Another server or repository may need a deploy key, which is asked for after the response. */
async function updated(
  context: Context,
  id: ProjectId,
  input: UpdateProjectInput,
  fleetBefore: readonly ServerId[],
): Promise<Result<Project, "not_found">> {
  const found = await findProjectWithServing(context.rows, id);
  if (found === null) return notFound("project");
  const { project } = found;
  const { server_id, servers, build_on, repository, branch, deploy_on, entry, domain, aliases } = input;
  const isMove = [server_id, servers, build_on].some((value) => value !== undefined);
  const isWatchChange = [server_id, servers, repository, branch, deploy_on].some(
    (value) => value !== undefined,
  );
  if (isWatchChange) context.defer(watchChanged(context, project));
  const isFleetChange = [server_id, servers, entry, domain, aliases].some((value) => value !== undefined);
  if (isFleetChange && (isShared(settingsOf(project)) || fleetBefore.length > 0))
    context.defer(projectFleetChanged(context, id, fleetBefore));
  if (isMove || repository !== undefined) context.defer(prepareDeployKeys(context, project));
  return succeed(projectView(project, found));
}
