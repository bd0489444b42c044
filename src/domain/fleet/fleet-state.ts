import type {
  BalancedProject,
  BalanceReports,
  FleetReport,
  FleetServer,
  FleetState,
  ServedProject,
} from "#contract/agent-fleet.ts";
import type { Entry } from "#contract/endpoints/projects/entry.ts";
import { type ProjectServer, servesDomain } from "#contract/endpoints/projects/servers.ts";
import type { Alias } from "#contract/endpoints/projects/settings.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";

/**
 * What other servers must know of a server, a balancer too. `address`: its setting. `report`: what its agent has reported; null:
 * nothing.
 */
export type ServerFacts = {
  readonly id: ServerId;
  readonly name: string;
  readonly ip: string;
  readonly address: string | null;
  readonly report: FleetReport | null;
};

/**
 * What the servers of a project must know of each other. `servers`: at least one. `live`: the servers on which the project is
 * live. Some of them may have left `servers`, until a deployment is live without them.
 */
export type FleetProject = {
  readonly id: ProjectId;
  readonly domain: string;
  readonly aliases: readonly Alias[];
  readonly entry: Entry;
  readonly servers: readonly ProjectServer[];
  readonly live: readonly ServerId[];
};

/** The servers that take requests for the domain: in the order of the setting, then the servers that it no longer has. */
export function webServers({ servers, live }: Pick<FleetProject, "servers" | "live">): readonly ServerId[] {
  const placed = servers.filter(servesDomain).map(({ id }) => id);
  return [...placed, ...live.filter((id) => !servers.some((server) => server.id === id))];
}

/** The servers that must know of others to serve the project. Empty if one server serves it alone. */
export function serversToNotify(
  project: Pick<FleetProject, "entry" | "servers" | "live">,
): readonly ServerId[] {
  const { type, balancers } = project.entry;
  const members = webServers(project);
  switch (type) {
    case "each":
      return members.length > 1 ? members : [];
    case "balancer":
      return [...new Set([...balancers, ...members])];
    case "own":
      return members;
  }
}

/** Whether several servers have a part in serving a project, so that they may have to know of each other. */
export function isShared({ entry, servers }: Pick<FleetProject, "entry" | "servers">): boolean {
  return entry.type !== "each" || servers.length > 1;
}

/** Where balancers reach a server; null: unknown. */
export function addressOf({ address, report }: Pick<ServerFacts, "address" | "report">): string | null {
  return address ?? report?.address ?? null;
}

/** Why balancers cannot send requests to a server, as a sentence; null: they can. */
export function whyUnreachable(server: Pick<ServerFacts, "name" | "address" | "report">): string | null {
  if (server.report === null) return whyUnprepared(server);
  if (addressOf(server) === null)
    return `${server.name} has no address for balancers: gantry servers set ${server.name} --address`;
  return null;
}

/** Why other servers cannot trust a server, as a sentence; null: they can. */
export function whyUnprepared({ name, report }: Pick<ServerFacts, "name" | "report">): string | null {
  return report === null ? `${name} reports no Gantry ingress with TLS. Install the ingress there.` : null;
}

/** What a server must know, without its revision. */
export type FleetContent = Omit<FleetState, "revision">;

/**
 * How far a server has applied its `FleetState`. `sent`: the revision that was sent last. `done`: the revision that the agent
 * answered last. `problem`: its answer; null: it has applied the state. `out`: the servers that it has taken out, as a balancer.
 */
export type FleetSet = {
  readonly sent: number;
  readonly done: number | null;
  readonly problem: string | null;
  readonly out: BalanceReports;
};

/**
 * What a server must know of others. The same rows give the same lists in the same order.
 * @param projects all projects that it serves with others or balances. Others may be among them
 * @param servers the servers that these projects name. Unknown ones are left out
 */
export function fleetContent(
  self: ServerId,
  projects: readonly FleetProject[],
  servers: readonly ServerFacts[],
): FleetContent {
  const known = new Map(servers.map((server) => [server.id, server]));
  const ordered = projects.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const balances = ordered.flatMap((project) => balancedBy(self, project, known));
  const serves = ordered.flatMap((project) => servedBy(self, project, known));
  const named = new Set([
    ...balances.flatMap(({ members, peers }) => [...members, ...peers]),
    ...serves.flatMap(namedBy),
  ]);
  return { servers: [...named].toSorted().flatMap((id) => fleetServer(known.get(id))), balances, serves };
}

type Known = ReadonlyMap<ServerId, ServerFacts>;

/** The project for its balancer `self`. Empty: `self` does not balance it. */
function balancedBy(self: ServerId, project: FleetProject, known: Known): BalancedProject[] {
  const { type, balancers, sticky } = project.entry;
  if (type !== "balancer" || !balancers.includes(self)) return [];
  const isReachable = (id: ServerId) => {
    const server = known.get(id);
    return server !== undefined && whyUnreachable(server) === null;
  };
  return [
    {
      ...{ project_id: project.id, domain: project.domain, aliases: [...project.aliases], sticky },
      members: webServers(project).filter(isReachable),
      peers: reporting(othersThan(self, balancers), known),
    },
  ];
}

/** The project for its server `self`. Empty: `self` does not take requests for it, or serves it alone. */
function servedBy(self: ServerId, project: FleetProject, known: Known): ServedProject[] {
  const { type: entry, balancers } = project.entry;
  const members = webServers(project);
  if (!members.includes(self)) return [];
  const project_id = project.id;
  switch (entry) {
    case "each": {
      const peers = reporting(othersThan(self, members), known);
      return peers.length === 0 ? [] : [{ entry, project_id, peers }];
    }
    case "balancer":
      return [{ entry, project_id, hosts: hostsOf(project), balancers: reporting(balancers, known) }];
    case "own":
      return [{ entry, project_id }];
  }
}

/** The servers whose agents have reported how others reach them. */
function reporting(ids: readonly ServerId[], known: Known): ServerId[] {
  return ids.filter((id) => (known.get(id)?.report ?? null) !== null);
}

function othersThan(self: ServerId, ids: readonly ServerId[]): ServerId[] {
  return ids.filter((id) => id !== self);
}

/** Whether a server serves all of its projects alone, so that it must know of no other. */
export function servesAlone({ balances, serves }: FleetContent): boolean {
  return balances.length === 0 && serves.length === 0;
}

/** The names that a balancer passes on: it redirects others itself. */
function hostsOf({ domain, aliases }: FleetProject): string[] {
  return [domain, ...aliases.filter(({ redirect }) => !redirect).map((alias) => alias.domain)];
}

function namedBy(served: ServedProject): readonly ServerId[] {
  switch (served.entry) {
    case "each":
      return served.peers;
    case "balancer":
      return served.balancers;
    case "own":
      return [];
  }
}

function fleetServer(server: ServerFacts | undefined): FleetServer[] {
  if (server === undefined || server.report === null) return [];
  const { port, http_port, root } = server.report;
  return [{ id: server.id, ip: server.ip, address: addressOf(server), port, http_port, root }];
}
