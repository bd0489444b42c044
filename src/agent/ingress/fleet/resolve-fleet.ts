import { X509Certificate } from "node:crypto";
import { isIPv6 } from "node:net";

import type { BalancedProject, FleetServer, FleetState, ServedProject } from "#contract/agent-fleet.ts";
import type { Alias } from "#contract/endpoints/projects/settings.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";

/** A server that takes requests from a balancer. `dial`: the address and port. `root`: of its authority, DER in base64. */
export type Member = { readonly server: ServerId; readonly dial: string; readonly root: string };

/** A project whose visitors this server leads to members. `peers`: where ACME challenges go, as addresses and ports. */
export type BalancedSite = {
  readonly project: ProjectId;
  readonly site: { readonly domain: string; readonly aliases: readonly Alias[] };
  readonly sticky: boolean;
  readonly members: readonly Member[];
  readonly peers: readonly string[];
};

/** How visitors reach a project that this server serves together with others. `roots`: of its balancers, as of a `Member`. */
export type SiteEntry =
  | { readonly type: "each"; readonly peers: readonly string[] }
  | { readonly type: "balancer"; readonly hosts: readonly string[]; readonly roots: readonly string[] }
  | { readonly type: "own" };

/** What the ingress does for other servers, and what they do for it. */
export type Fleet = {
  readonly balanced: readonly BalancedSite[];
  readonly entries: ReadonlyMap<ProjectId, SiteEntry>;
};

export const noFleet: Fleet = { balanced: [], entries: new Map() };

/** @param state null: nothing was received yet. A server that cannot be used is left out. */
export function resolveFleet(state: FleetState | null): Fleet {
  if (state === null) return noFleet;
  const servers = new Map(state.servers.map((server) => [server.id, server]));
  const find = (ids: readonly ServerId[]) => ids.flatMap((id) => servers.get(id) ?? []);
  const peersOf = (ids: readonly ServerId[]) => find(ids).map(({ ip, http_port }) => dialOf(ip, http_port));
  return {
    // The oldest project first, as the projects of this server.
    balanced: state.balances
      .map((project) => balancedSite(project, find(project.members), peersOf(project.peers)))
      .toSorted((one, other) => (one.project < other.project ? -1 : 1)),
    entries: new Map(state.serves.map((served) => [served.project_id, entryOf(served, find, peersOf)])),
  };
}

/** The members of all projects, each once. */
export function membersOf(sites: readonly BalancedSite[]): readonly Member[] {
  return [...new Map(sites.flatMap(({ members }) => members).map((one) => [one.server, one])).values()];
}

function balancedSite(
  { project_id: project, domain, aliases, sticky }: BalancedProject,
  servers: readonly FleetServer[],
  peers: readonly string[],
): BalancedSite {
  const members = servers.flatMap(({ id, address, port, root: pem }) => {
    const root = derOf(pem);
    return address === null || root === null ? [] : [{ server: id, dial: dialOf(address, port), root }];
  });
  return { project, site: { domain, aliases }, sticky, members, peers };
}

function entryOf(
  served: ServedProject,
  find: (ids: readonly ServerId[]) => readonly FleetServer[],
  peersOf: (ids: readonly ServerId[]) => readonly string[],
): SiteEntry {
  switch (served.entry) {
    case "each":
      return { type: "each", peers: peersOf(served.peers) };
    case "balancer":
      return {
        type: "balancer",
        hosts: served.hosts,
        roots: find(served.balancers).flatMap(({ root }) => derOf(root) ?? []),
      };
    case "own":
      return { type: "own" };
  }
}

function dialOf(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** @returns null for a text that is no certificate: Caddy would refuse the whole configuration */
function derOf(pem: string): string | null {
  try {
    return new X509Certificate(pem).raw.toString("base64");
  } catch {
    return null;
  }
}
