import { describe, expect, it } from "vitest";

import { Entry } from "#contract/endpoints/projects/entry.ts";
import { createIdGenerator } from "#contract/ids.ts";
import {
  fleetContent,
  type ServerFacts,
  type FleetProject,
  serversToNotify,
  webServers,
} from "#domain/fleet/fleet-state.ts";

let seed = 0;
const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count).fill((seed += 1)),
});
const [LB, WEB_1, WEB_2, JOBS] = [ids.server(), ids.server(), ids.server(), ids.server()];

const server = (id: ServerFacts["id"], last: number, changes: Partial<ServerFacts> = {}): ServerFacts => ({
  ...{ id, name: `server-${last}`, ip: `192.0.2.${last}`, address: null },
  report: { port: 8443, http_port: 80, root: `root ${last}`, address: `10.0.0.${last}` },
  ...changes,
});
const all = [server(LB, 1), server(WEB_1, 11), server(WEB_2, 12), server(JOBS, 13)];
const place = (id: ServerFacts["id"], processes: string[] | null = null) => ({ id, processes, cron: false });

const shop = (changes: Partial<FleetProject> = {}): FleetProject => ({
  id: ids.project(),
  domain: "shop.test",
  aliases: [
    { domain: "www.shop.test", redirect: true },
    { domain: "shop.example", redirect: false },
  ],
  entry: Entry.parse({ type: "balancer", balancers: [LB] }),
  servers: [place(WEB_1), place(WEB_2), place(JOBS, ["worker"])],
  live: [],
  ...changes,
});

describe("what servers must know of each other", () => {
  it("gives a balancer the servers that serve the domain, with their addresses and authorities", () => {
    const project = shop();
    const { servers, balances, serves } = fleetContent(LB, [project], all);
    expect(balances).toEqual([
      {
        ...{ project_id: project.id, domain: "shop.test", aliases: project.aliases, sticky: false },
        ...{ members: [WEB_1, WEB_2], peers: [] },
      },
    ]);
    expect(serves).toEqual([]);
    expect(servers).toEqual([
      { id: WEB_1, ip: "192.0.2.11", address: "10.0.0.11", port: 8443, http_port: 80, root: "root 11" },
      { id: WEB_2, ip: "192.0.2.12", address: "10.0.0.12", port: 8443, http_port: 80, root: "root 12" },
    ]);
  });

  it("gives a server the balancers from which it takes requests, and the names without redirects", () => {
    const project = shop();
    const { servers, balances, serves } = fleetContent(WEB_1, [project], all);
    expect(balances).toEqual([]);
    expect(serves).toEqual([
      {
        ...{ entry: "balancer", project_id: project.id },
        ...{ hosts: ["shop.test", "shop.example"], balancers: [LB] },
      },
    ]);
    expect(servers.map(({ id }) => id)).toEqual([LB]);
    expect(fleetContent(JOBS, [project], all)).toEqual({ servers: [], balances: [], serves: [] });
  });

  it("leaves out servers without an address or an ingress, and takes a set address before the reported one", () => {
    const without = (changes: Partial<ServerFacts>) =>
      fleetContent(LB, [shop()], [server(LB, 1), server(WEB_1, 11), server(WEB_2, 12, changes)]);
    const report = { port: 8443, http_port: 80, root: "root", address: null };
    expect(without({ report: null }).balances[0]?.members).toEqual([WEB_1]);
    expect(without({ report }).balances[0]?.members).toEqual([WEB_1]);
    expect(without({ report, address: "web-2.internal" }).servers.at(-1)?.address).toBe("web-2.internal");
  });

  it("keeps a server that the setting no longer has while the project is live on it", () => {
    const moving = shop({ servers: [place(WEB_2)], live: [WEB_1] });
    expect(fleetContent(LB, [moving], all).balances[0]?.members).toEqual([WEB_2, WEB_1]);
    expect(fleetContent(WEB_1, [moving], all).serves).toHaveLength(1);
    expect(serversToNotify(moving)).toEqual([LB, WEB_2, WEB_1]);
    // It is in the setting, and serves no domain.
    expect(webServers(shop({ live: [WEB_1, JOBS] }))).toEqual([WEB_1, WEB_2]);
  });

  it("lets a balancer be one of the servers, and two balancers answer for each other's certificates", () => {
    const project = shop({ entry: Entry.parse({ type: "balancer", balancers: [LB, WEB_1], sticky: true }) });
    const { balances, serves } = fleetContent(WEB_1, [project], all);
    expect(balances[0]).toMatchObject({ members: [WEB_1, WEB_2], peers: [LB], sticky: true });
    expect(serves[0]).toMatchObject({ entry: "balancer", balancers: [LB, WEB_1] });
  });

  it("names the other servers if visitors reach each of them, and none to a project on one server", () => {
    const each = Entry.parse({});
    const project = shop({ entry: each });
    expect(fleetContent(WEB_1, [project], all).serves).toEqual([
      { entry: "each", project_id: project.id, peers: [WEB_2] },
    ]);
    expect(serversToNotify(project)).toEqual([WEB_1, WEB_2]);
    const alone = shop({ entry: each, servers: [place(WEB_1)] });
    expect(serversToNotify(alone)).toEqual([]);
    expect(fleetContent(WEB_1, [alone], all).serves).toEqual([]);
  });

  it("tells each server of a project behind another load balancer, and gives the same rows in the same order", () => {
    const own = shop({ entry: Entry.parse({ type: "own" }), servers: [place(WEB_1)] });
    expect(fleetContent(WEB_1, [own], all).serves).toEqual([{ entry: "own", project_id: own.id }]);
    const two = [own, shop()];
    expect(JSON.stringify(fleetContent(WEB_1, two, all))).toBe(
      JSON.stringify(fleetContent(WEB_1, two.toReversed(), all.toReversed())),
    );
  });
});
