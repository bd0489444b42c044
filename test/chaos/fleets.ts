import type { Host } from "../support/faults/host.ts";
import type { Installation } from "../support/faults/installation.ts";
import { createSite, type Site } from "../support/faults/site.ts";
import type { SourceCommit } from "../support/faults/source.ts";
import type { Chance } from "./chance.ts";

/**
 * What a project on several servers was told. `servers`: where its next deployments go. `hasStopped`: a deployment may
 * have stayed on some servers after it failed on others. `broken`: the commits that do not start on a server.
 */
export type Fleet = { servers: readonly Host[]; hasStopped: boolean; readonly broken: Set<string> };

/** All servers, and what each project was told. */
export type Fleets = { readonly hosts: readonly Host[]; of(site: Pick<Site, "projectId">): Fleet };

export function createFleets(hosts: readonly Host[]): Fleets {
  const known = new Map<string, Fleet>();
  return {
    hosts,
    of({ projectId }) {
      const fleet = known.get(projectId) ?? { servers: hosts, hasStopped: false, broken: new Set() };
      known.set(projectId, fleet);
      return fleet;
    },
  };
}

/** The settings that place a project on servers. */
export function placedOn(hosts: readonly Host[]): { readonly servers: readonly { readonly id: string }[] } {
  return { servers: hosts.map(({ serverId }) => ({ id: serverId })) };
}

/** Creates a project: on one server, or on all. Its release command runs once. */
export async function openSite(
  { installation, fleets }: { readonly installation: Installation; readonly fleets: Fleets | null },
  host: Host,
  name: string,
  isApp: boolean,
): Promise<Site> {
  if (fleets === null) return createSite(installation, host, name, {}, isApp);
  const servers = [host, ...fleets.hosts.filter((other) => other !== host)];
  const settings = { ...placedOn(servers), server_id: host.serverId, release_command: "sh release.sh" };
  const site = await createSite(installation, host, name, settings, isApp);
  fleets.of(site).servers = servers;
  return site;
}

/** A commit that fails on one server only, in its build, before it starts or after its switch. */
export async function commitBrokenOnOne(fleets: Fleets, site: Site, chance: Chance): Promise<SourceCommit> {
  const { home } = chance.pick(fleets.hosts);
  const fails = `case "$PWD" in ${home}/*) echo broken here >&2; exit 6;; esac`;
  const where = chance.pick(
    site.isApp ? (["build", "start", "activate"] as const) : (["build", "activate"] as const),
  );
  const made = await site.source.commit({ lines: 10, [where]: fails });
  fleets.of(site).broken.add(made.sha);
  return made;
}
