import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { challengeRoutes } from "#agent/ingress/caddy/challenge-route.ts";
import { caddyConfig } from "#agent/ingress/caddy/config.ts";
import type { NamedSite } from "#agent/ingress/caddy/site-routes.ts";
import { isCovered } from "#agent/ingress/file-certificates.ts";
import {
  balanceSlots,
  chooseMembers,
  firstHealth,
  memberOfSlot,
  nextHealth,
  type Verdict,
} from "#agent/ingress/fleet/choose-members.ts";
import { allowFleet, type BalancePolicy } from "#agent/ingress/fleet/allow-fleet.ts";
import { forgetFleet, readFleet } from "#agent/ingress/fleet/fleet-file.ts";
import { planIngress, publicSites } from "#agent/ingress/plan-ingress.ts";
import { IngressSettings } from "#agent/ingress/settings.ts";
import { type FleetServer, FleetState } from "#contract/agent-fleet.ts";
import { ProjectId, ServerId } from "#contract/ids.ts";

import { sharedServers } from "../../support/fleet-servers.ts";
import { createCertificate } from "../../support/git-server.ts";
import { AgentWorld } from "../support/harness.ts";

const ROOT = readFileSync(createCertificate(mkdtempSync(join(tmpdir(), "gantry-root-"))).cert, "utf8");

const project = (at: number) => ProjectId.parse(`proj_01j0000000000000000000000${at}`);
const serverId = (at: number) => ServerId.parse(`srv_01j0000000000000000000000${at}`);
const server = (at: number, change: Partial<FleetServer> = {}): FleetServer => ({
  id: serverId(at),
  ip: `192.0.2.${at}`,
  address: `10.0.0.${at}`,
  port: 8443,
  http_port: 80,
  root: ROOT,
  ...change,
});
const nothing: FleetState = { revision: 1, servers: [], balances: [], serves: [] };
const app = (at: number, domain: string): NamedSite => ({
  project: project(at),
  site: { domain, aliases: [], content: { kind: "app" } },
});
const balanced = (at: number, domain: string, members: readonly number[] = [1, 2]) => ({
  project_id: project(at),
  domain,
  aliases: [{ domain: `www.${domain}`, redirect: true }],
  sticky: false,
  members: members.map(serverId),
  peers: [],
});

describe("The slots of a balancer", () => {
  const spread = (members: readonly ServerId[], chosen: readonly ServerId[]) => {
    const counts = new Map(members.map((member) => [member, 0]));
    for (const slot of balanceSlots(members)) {
      const member = memberOfSlot(slot, members, chosen);
      counts.set(member, (counts.get(member) ?? 0) + 1);
    }
    return members.map((member) => counts.get(member) ?? 0);
  };

  it.each([
    [
      [0, 1],
      [24, 0],
    ],
    [
      [0, 0, 1],
      [18, 18, 0],
    ],
    [
      [0, 0, 0, 1],
      [16, 16, 16, 0],
    ],
    [
      [0, 0, 1, 1],
      [24, 24, 0, 0],
    ],
    [
      [0, 0, 0, 0, 1],
      [15, 15, 15, 15, 0],
    ],
  ])("go to the others alike when members are out: %j", (out, expected) => {
    const members = sharedServers(out.length);
    const chosen = members.filter((_, at) => out[at] === 0);
    expect(spread(members, members)).toEqual(members.map(() => 12));
    expect(spread(members, chosen)).toEqual(expected);
  });

  it("change only for the member that leaves or returns", () => {
    const members = sharedServers(5);
    const subsets = Array.from({ length: 2 ** members.length - 1 }, (_, bits) =>
      members.filter((__, at) => ((bits + 1) >> at) % 2 === 1),
    );
    for (const chosen of subsets)
      for (const leaving of chosen.length > 1 ? chosen : []) {
        const left = chosen.filter((member) => member !== leaving);
        for (const slot of balanceSlots(members)) {
          const before = memberOfSlot(slot, members, chosen);
          const after = memberOfSlot(slot, members, left);
          expect(left).toContain(after);
          if (before !== leaving) expect(after).toBe(before);
        }
      }
  });
});

describe("A balancer", () => {
  it("changes its verdict after two other answers in a row", () => {
    const after = (first: boolean, ...seen: Verdict[]) => seen.reduce(nextHealth, firstHealth(first)).verdict;
    expect(after(true, "silent")).toBe("ready");
    expect(after(true, "silent", "ready", "silent")).toBe("ready");
    expect(after(true, "silent", "draining")).toBe("draining");
    expect(after(true, "silent", "silent", "ready")).toBe("silent");
    expect(after(false, "ready", "ready")).toBe("ready");
  });

  it("chooses ready members, else drained ones, else all", () => {
    const members = sharedServers(3);
    const [one, two] = members;
    const choose = (...verdicts: Verdict[]) =>
      chooseMembers(members, (member) => verdicts[members.indexOf(member)] ?? "silent");
    expect(choose("ready", "draining", "silent")).toEqual([one]);
    expect(choose("draining", "draining", "silent")).toEqual([one, two]);
    expect(choose("silent", "silent", "silent")).toEqual(members);
  });
});

it.each([
  { servers: [server(1, { ip: "{file./etc/passwd}.example.com" })] },
  { balances: [balanced(1, "{file./etc/passwd}")] },
  { serves: [{ entry: "balancer", project_id: project(1), hosts: ["{env.HOME}"], balancers: [] }] },
])("what Caddy would replace by the content of a file is refused: %j", (part) => {
  expect(FleetState.safeParse({ ...nothing, ...part }).success).toBe(false);
});

describe("The policy of a server", () => {
  const fleet: FleetState = {
    ...nothing,
    servers: [server(1), server(2, { address: "web-2.internal" }), server(3)],
    balances: [{ ...balanced(1, "shop.test", [1, 2]), peers: [serverId(3)] }],
    serves: [
      { entry: "each", project_id: project(2), peers: [serverId(1), serverId(3)] },
      { entry: "own", project_id: project(3) },
    ],
  };
  const allowed = (balance: BalancePolicy["balance"]) => {
    const { state, refusals } = allowFleet({ balance, file: "/etc/gantry/policy.json" }, fleet);
    return {
      members: state?.balances.map(({ members, peers }) => [members, peers]),
      peers: state?.serves.flatMap((one) => (one.entry === "each" ? one.peers : [])),
      refusals,
    };
  };
  const members = [serverId(1), serverId(2)];
  const peers = [serverId(1), serverId(3)];
  const way = 'Its administrator can change the rule "balance" in /etc/gantry/policy.json.';
  const refused = (what: string) => `This server's policy (balance) does not allow ${what}. ${way}`;

  it("allows everything without a rule, and no balancing if the rule says so", () => {
    expect(allowed("any")).toEqual({ members: [[members, [serverId(3)]]], peers, refusals: [] });
    expect(allowed("checks")).toEqual({ members: [], peers, refusals: [refused("balancing shop.test")] });
    const check = `passing on checks of certificates for ${project(2)} to`;
    expect(allowed("none")).toEqual({
      members: [],
      peers: [],
      refusals: [
        refused("balancing shop.test"),
        refused(`${check} 192.0.2.1`),
        refused(`${check} 192.0.2.3`),
      ],
    });
  });

  it("allows only the addresses of a list", () => {
    expect(allowed(["10.0.0.0/24", "WEB-2.internal", "192.0.2.0/24"])).toMatchObject({
      members: [[members, [serverId(3)]]],
      peers,
      refusals: [],
    });
    expect(allowed(["10.0.0.1", "192.0.2.3"])).toEqual({
      members: [[[serverId(1)], [serverId(3)]]],
      peers: [serverId(3)],
      refusals: [
        refused("sending requests for shop.test to web-2.internal"),
        refused(`passing on checks of certificates for ${project(2)} to 192.0.2.1`),
      ],
    });
    expect(allowed([]).members).toEqual([[[], []]]);
  });
});

describe("The plan of the ingress", () => {
  const plan = (sites: readonly NamedSite[], fleet: FleetState) =>
    planIngress({ sites, fleet, certificates: [] });

  it("leaves out members that cannot be reached, and roots that are no certificates", () => {
    const servers = [
      server(1),
      server(2, { address: null }),
      server(3, { root: "none" }),
      server(4, { address: "2001:db8::4" }),
    ];
    const fleet = { ...nothing, servers, balances: [balanced(1, "a.test", [1, 2, 3, 4, 5])] };
    const dials = plan([], fleet).plan.fleet.balanced[0]?.members.map(({ dial }) => dial);
    expect(dials).toEqual(["10.0.0.1:8443", "[2001:db8::4]:8443"]);
  });

  it("gives a name to one project, whether it is served here or elsewhere", () => {
    const servers = [server(1), server(2)];
    const fleet = { ...nothing, servers, balances: [balanced(2, "a.test"), balanced(3, "b.test")] };
    const { plan: first, problems } = plan([app(1, "a.test"), app(3, "b.test"), app(4, "www.b.test")], fleet);
    expect(first.sites.map(({ site }) => site.domain)).toEqual(["a.test", "b.test", "www.b.test"]);
    expect(first.fleet.balanced.map(({ site }) => [site.domain, site.aliases])).toEqual([["b.test", []]]);
    expect(problems.map((one) => [one.project, one.isServed])).toEqual([
      [project(2), false],
      [project(3), true],
    ]);
  });

  it("shows visitors no site that has a balancer, unless this server is the balancer too", () => {
    const fleet: FleetState = {
      ...nothing,
      servers: [server(1), server(2)],
      balances: [balanced(2, "b.test")],
      serves: [1, 2].map((at) => ({
        entry: "balancer",
        project_id: project(at),
        hosts: [],
        balancers: [serverId(2)],
      })),
    };
    const { plan: found } = plan([app(1, "a.test"), app(2, "b.test"), app(3, "c.test")], fleet);
    expect(publicSites(found).map((one) => [one.site.domain, "members" in one])).toEqual([
      ["c.test", false],
      ["b.test", true],
    ]);
  });
});

describe("Caddy's configuration", () => {
  const places = { home: "/var/lib/gantry", slots: "/run/gantry/slots" };
  const sockets = { admin: "/run/gantry-ingress/admin.sock", check: "/run/gantry-ingress/check.sock" };
  const configText = (sites: readonly NamedSite[], fleet: FleetState) => {
    const { plan } = planIngress({ sites, fleet, certificates: [] });
    const config = JSON.stringify(caddyConfig(plan, places, IngressSettings.parse(sockets)), null, 2);
    const der = ROOT.replaceAll(/-----[^-]+-----|\s/g, "");
    return `${config.replaceAll(der, "ROOT")}\n`;
  };

  it("leads visitors of a balanced project to slots, and the agent to each member", async () => {
    const fleet = {
      ...nothing,
      servers: [server(1), server(2), server(3)],
      balances: [{ ...balanced(1, "shop.example.com"), sticky: true, peers: [serverId(3)] }],
    };
    await expect(configText([], fleet)).toMatchFileSnapshot("snapshots/caddy-balancer.snap");
  });

  it("asks only the servers of a project who has ordered a certificate for its names", () => {
    const fleet: FleetState = {
      ...nothing,
      servers: [server(1), server(2), server(3)],
      balances: [{ ...balanced(1, "balanced.test", [2]), peers: [serverId(3)] }],
      serves: [
        { entry: "each", project_id: project(2), peers: [serverId(2)] },
        { entry: "balancer", project_id: project(3), hosts: [], balancers: [serverId(2)] },
      ],
    };
    const sites = [app(2, "each.test"), app(3, "behind.test"), app(4, "alone.test")];
    const { fleet: planned, sites: named } = planIngress({ sites, fleet, certificates: [] }).plan;
    const asked = challengeRoutes(named, planned).map(({ match, handle }) => ({
      host: match?.[0]?.["host"],
      except: JSON.stringify(match?.[0]?.["not"]).match(/[\w.]+\.test/g),
      peers: JSON.stringify(handle).match(/192\.0\.2\.\d:80/g),
    }));
    expect(asked).toEqual([
      { host: ["balanced.test", "www.balanced.test"], except: null, peers: ["192.0.2.3:80"] },
      { host: ["each.test"], except: null, peers: ["192.0.2.2:80"] },
      {
        host: undefined,
        except: ["balanced.test", "www.balanced.test", "each.test", "behind.test", "alone.test"],
        peers: ["192.0.2.2:80", "192.0.2.3:80"],
      },
    ]);
  });

  it("takes requests of balancers at a port of its own", async () => {
    const serves: FleetState["serves"] = [
      { entry: "balancer", project_id: project(1), hosts: ["shop.example.com"], balancers: [serverId(1)] },
      { entry: "each", project_id: project(2), peers: [serverId(2)] },
      { entry: "own", project_id: project(3) },
    ];
    const sites = [app(1, "old.example.com"), app(2, "each.example.com"), app(3, "own.example.com")];
    const fleet = { ...nothing, servers: [server(1), server(2)], serves };
    await expect(configText(sites, fleet)).toMatchFileSnapshot("snapshots/caddy-member.snap");
  });
});

it.each([
  ["shop.example.com", true],
  ["a.example.com", true],
  ["a.b.example.com", false],
  ["example.com", false],
])("a certificate from a file is for %s: %s", (name, expected) => {
  const names = ["shop.example.com", "*.example.com"];
  expect(isCovered(name, [{ source: "/a", cert: "/b", key: "/c", names }])).toBe(expected);
});

describe("The agent", () => {
  let world: AgentWorld | null = null;
  afterEach(() => world?.close());

  it("stores what it does with other servers, unless it is older, and says that it has no ingress", async () => {
    const own = await AgentWorld.create();
    world = own;
    const set = async (fleet: FleetState) => {
      const request_id = `fleet-${fleet.revision}-${fleet.balances.length}`;
      own.control.send({ type: "set_fleet", request_id, fleet });
      return await own.control.waitFor("the answer", () =>
        own.control.messages.find((one) => "request_id" in one && one.request_id === request_id),
      );
    };
    const agent = await own.startAgent();
    const fleet = { ...nothing, revision: 5, servers: [server(1)], balances: [balanced(1, "a.test", [1])] };
    expect(await set(fleet)).toEqual({
      type: "fleet_set",
      request_id: "fleet-5-1",
      revision: 5,
      problem: "The server has no Gantry ingress.",
    });
    expect(await set({ ...nothing, revision: 4 })).toMatchObject({ revision: 4, problem: null });
    expect(await readFleet(own.home)).toEqual(fleet);
    await agent.stop();
    await forgetFleet(own.home);
    expect(await readFleet(own.home)).toBeNull();
    rmSync(join(own.home, "ingress"), { recursive: true, force: true });
  });
});
