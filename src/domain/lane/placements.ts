import type { ServerId } from "#contract/ids.ts";
import type { Host, Lane } from "#domain/lane/lane.ts";

/** null: the server has never had an order of the project, or has let go of it. */
export function hostOf(lane: Lane, serverId: ServerId): Host | null {
  return lane.hosts.find((host) => host.serverId === serverId) ?? null;
}

/** Puts a host in the place of the one that has the same server. */
export function replaceHost(lane: Lane, next: Host): Lane {
  return { ...lane, hosts: lane.hosts.map((host) => (host.serverId === next.serverId ? next : host)) };
}

/** The server has nothing of the project any more, or is no more itself. */
export function removeHost(lane: Lane, serverId: ServerId): Lane {
  return { ...lane, hosts: lane.hosts.filter((host) => host.serverId !== serverId) };
}

/** A server that is offered a deployment has files of the project from now on. One that is leaving stays so until it serves again. */
export function addHost(lane: Lane, serverId: ServerId): Lane {
  const host = hostOf(lane, serverId);
  const inUse: Host = { serverId, state: { name: "in_use" } };
  if (host === null) return { ...lane, hosts: [...lane.hosts, inUse] };
  return host.state.name === "left" ? replaceHost(lane, inUse) : lane;
}

/** The project is live on this server: every other one that may hold releases of it must let go of them. */
export function moveTo(lane: Lane, serverId: ServerId): Lane {
  const hosts = lane.hosts.map((host): Host => {
    if (host.serverId === serverId) return { serverId, state: { name: "in_use" } };
    return host.state.name === "in_use" ? sendAway(host, false) : host;
  });
  return { ...lane, hosts };
}

/** Has a host let go of the project; it is told from the beginning, whatever it was told before. */
export function sendAway({ serverId, state }: Host, purge: boolean): Host {
  const alsoPurge = state.name === "leaving" && state.purge;
  return { serverId, state: { name: "leaving", purge: purge || alsoPurge, told: null, tries: 0 } };
}
