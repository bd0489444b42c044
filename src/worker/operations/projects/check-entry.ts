import type { AgentRequestType } from "#contract/agent-requests.ts";
import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { Entry } from "#contract/endpoints/projects/entry.ts";
import type { ProjectServer } from "#contract/endpoints/projects/servers.ts";
import type { ServerId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { addressOf, serversToNotify, webServers } from "#domain/fleet/fleet-state.ts";
import type { Context } from "#worker/context.ts";
import { findServerFacts } from "#worker/db/servers/fleet-rows.ts";
import { refuseServers } from "#worker/operations/projects/project-refusals.ts";
import { refuseTooOld } from "#worker/operations/servers/unfit-servers.ts";

const NEEDED: AgentRequestType = "set_fleet";

/**
 * Refuses an entry with which visitors could not reach the project: an agent is too old for it, or balancers would have no
 * address of a server. Costs no read for `each`. A server without an agent is not refused, and says later what it lacks.
 * @param next the project after the change. `servers`: at least one
 * @param given what the request names, for the pointers of a refusal
 */
export async function checkEntry(
  context: Pick<Context, "latestRows" | "rows" | "origin">,
  next: { readonly entry: Entry; readonly servers: readonly ProjectServer[] },
  given: Pick<UpdateProjectInput, "server_id" | "servers" | "entry">,
): Promise<Result<null, "invalid_request" | "agent_outdated">> {
  const { entry, servers } = next;
  if (entry.type === "each") return succeed(null);
  const project = { entry, servers, live: [] };
  const ids = serversToNotify(project);
  const found = await findServerFacts(context.latestRows, ids);
  if (found.length < ids.length) return await refuseServers(context, given);
  const outdated = found.filter(({ capabilities }) => capabilities?.includes(NEEDED) === false);
  const old = refuseTooOld(
    context,
    outdated.map(({ name }) => name),
    `for the entry ${entry.type}`,
  );
  if (old !== null) return old;
  if (entry.type === "own") return succeed(null);
  const members = webServers(project);
  const lacking = found.filter((server) => members.includes(server.id) && addressOf(server) === null);
  if (lacking.length === 0) return succeed(null);
  return refuse(
    "invalid_request",
    `Balancers need an address of ${lacking.map(({ name }) => name).join(", ")}. Set it with gantry servers set NAME --address ADDRESS, or update the agent, which reports it.`,
    lacking.map(({ id, name }) => ({
      pointer: pointerTo(id, servers, given),
      message: `needs the address of ${name}`,
    })),
  );
}

/** Where a request chooses a server that its entry cannot use. */
function pointerTo(
  id: ServerId,
  servers: readonly ProjectServer[],
  given: Pick<UpdateProjectInput, "server_id" | "servers" | "entry">,
): string {
  if (given.servers !== undefined) return `/servers/${servers.findIndex((one) => one.id === id)}/id`;
  return given.entry === undefined ? "/server_id" : "/entry/type";
}
