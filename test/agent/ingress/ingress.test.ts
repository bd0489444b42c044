import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";

import { createCaddyIngress } from "#agent/ingress/caddy/caddy-ingress.ts";
import { type CertificatesFound, createCertificateChecks } from "#agent/ingress/caddy/check-certificates.ts";
import { ingressFiles } from "#agent/ingress/caddy/load-sites.ts";
import { isImmutable } from "#agent/ingress/caching.ts";
import { isPrivateName } from "#agent/ingress/caddy/certificates.ts";
import { caddyConfig } from "#agent/ingress/caddy/config.ts";
import type { NamedSite } from "#agent/ingress/caddy/site-routes.ts";
import { ingressLines } from "#agent/ingress/ingress-status.ts";
import { nameSites } from "#agent/ingress/name-sites.ts";
import type { BalancePolicy } from "#agent/ingress/fleet/allow-fleet.ts";
import { storeFleet } from "#agent/ingress/fleet/fleet-file.ts";
import { planIngress } from "#agent/ingress/plan-ingress.ts";
import { openPolicy } from "#agent/policy/policy.ts";
import { IngressSettings } from "#agent/ingress/settings.ts";
import { planSite, publishSite } from "#agent/apps/publish-site.ts";
import { writeSite } from "#agent/ingress/site-file.ts";
import { defaultRules, type SiteRules } from "#agent/workspace/site-rules.ts";
import { slotFiles } from "#agent/ingress/slots.ts";
import { releasePath, removeRelease, writeRelease } from "#agent/workspace/releases.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { pause } from "#contract/lib/pause.ts";
import { ProjectId, type ServerId } from "#contract/ids.ts";
import { writeAtomic } from "#node/write-atomic.ts";

import { sharedServers } from "../../support/fleet-servers.ts";
import { createCertificate } from "../../support/git-server.ts";
import { ids } from "../support/harness.ts";

const DAY_MS = 86_400_000;

const app = (domain: string, project = ids.project(), redirects: readonly string[] = []): NamedSite => ({
  project,
  site: {
    domain,
    aliases: redirects.map((name) => ({ domain: name, redirect: true })),
    content: { kind: "app" },
  },
});

describe("Caddy's configuration", () => {
  const shop = ProjectId.parse("proj_01j00000000000000000000000");
  const docs = ProjectId.parse("proj_01j00000000000000000000001");
  const sites: NamedSite[] = [
    {
      project: shop,
      site: {
        domain: "shop.example.com",
        aliases: [
          { domain: "www.shop.example.com", redirect: true },
          { domain: "shop.internal", redirect: false },
        ],
        content: { kind: "app" },
      },
    },
    {
      project: docs,
      site: {
        domain: "docs.example.com",
        aliases: [],
        content: {
          kind: "files",
          directory: "dist{x}",
          rule_sets: { "0a1b2c3d4e5f": { trailing_slash: "never", fallback: "a {b}.html" } },
        },
      },
    },
  ];
  const places = { home: "/var/lib/gantry", slots: "/run/gantry/slots" };
  const sockets = { admin: "/run/gantry-ingress/admin.sock", check: "/run/gantry-ingress/check.sock" };
  const { plan } = planIngress({ sites, fleet: null, certificates: [] });
  const configText = (settings: object) =>
    `${JSON.stringify(caddyConfig(plan, places, IngressSettings.parse({ ...sockets, ...settings })), null, 2)}\n`;

  it("has the sites with TLS, redirects to it, and the same sites for the agent's checks", async () => {
    await expect(configText({})).toMatchFileSnapshot("snapshots/caddy-with-tls.snap");
  });

  it("has one plain address behind a web server of the owner", async () => {
    await expect(configText({ listen: "127.0.0.1:8080" })).toMatchFileSnapshot("snapshots/caddy-behind.snap");
  });

  it("asks no public authority for names that exist only in a private network", () => {
    for (const name of [
      "localhost",
      "a.localhost",
      "intranet",
      "db.internal",
      "a.home.arpa",
      "10.0.0.7",
      "x.test",
    ])
      expect([name, isPrivateName(name)]).toEqual([name, true]);
    for (const name of ["example.com", "local.example.com", "internal.de", "xn--mnchen-3ya.de"])
      expect([name, isPrivateName(name)]).toEqual([name, false]);
  });
});

describe("A file", () => {
  it.each([
    ["/_next/static/chunks/main.js", true],
    ["/_astro/page.css", true],
    ["/assets/index-DfJ3x9ab.js", true],
    ["/assets/fonts/inter-B7_kQz2-.woff2", true],
    ["/assets/logo-20240101.png", false],
    ["/assets/photo-carousel.js", false],
    ["/assets/main.css", false],
    ["/x/_astro/page.css", false],
    ["/index.html", false],
  ])("is cached forever only if its name contains a hash of its content: %s %s", (path, expected) => {
    expect(isImmutable(path)).toBe(expected);
  });
});

describe("A host name that two projects have", () => {
  it("stays with the older project, and with the project that has it as its domain", () => {
    const [first, second, third] = [app("a.test", undefined, ["c.test"]), app("a.test"), app("c.test")];
    const named = nameSites([first, second, third]);
    expect(named.sites.map(({ project }) => project)).toEqual([first.project, third.project]);
    expect(named.sites[0]?.site.aliases).toEqual([]);
    expect(named.problems.map(({ project }) => project)).toEqual([first.project, second.project]);
    expect(named.problems[1]?.reason).toContain(first.project);
    expect(named.problems.map(({ isServed }) => isServed)).toEqual([true, false]);
  });

  it("is used once when a project names it twice", () => {
    const { sites, problems } = nameSites([app("a.test", undefined, ["a.test", "b.test", "b.test"])]);
    expect(sites[0]?.site.aliases).toEqual([{ domain: "b.test", redirect: true }]);
    expect(problems).toEqual([]);
  });
});

/** A far end of Caddy's admin socket, which refuses configurations with the text `refused`. */
class FakeCaddy {
  readonly loaded: string[] = [];
  /** What the slot of a site said at each configuration. */
  readonly served: string[] = [];
  onLoad: () => void = () => undefined;
  /** A port at which another program listens; null: none. */
  taken: number | null = null;
  #server: Server | null = null;
  readonly #path: string;
  constructor(path: string) {
    this.#path = path;
  }
  async listen(): Promise<void> {
    rmSync(this.#path, { force: true });
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        if (request.url !== "/load") return void response.end("[]");
        if (this.taken !== null && body.includes(`":${this.taken}"`)) {
          response.statusCode = 400;
          const error = `loading new config: http app module: start: listening on :${this.taken}: listen tcp :${this.taken}: bind: address already in use`;
          return void response.end(JSON.stringify({ error }));
        }
        if (body.includes("refused.test")) {
          response.statusCode = 400;
          return void response.end(JSON.stringify({ error: 'loading "http": no' }));
        }
        this.loaded.push(body);
        this.onLoad();
        response.end();
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#path, resolve));
  }
  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}

describe("The agent", () => {
  let home: string;
  let caddy: FakeCaddy;
  let lines: string[];
  let watching: AbortController;
  beforeEach(async () => {
    watching = new AbortController();
    home = mkdtempSync(join(tmpdir(), "gantry-ingress-"));
    caddy = new FakeCaddy(join(home, "admin.sock"));
    lines = [];
    await caddy.listen();
  });
  afterEach(() => {
    watching.abort();
    caddy.close();
    rmSync(home, { recursive: true, force: true });
  });

  const ingress = (policy: BalancePolicy = openPolicy) =>
    createCaddyIngress({
      home,
      slots: join(home, "slots"),
      settings: IngressSettings.parse({ admin: join(home, "admin.sock"), check: join(home, "check.sock") }),
      policy,
      checkMs: 20,
      membersMs: 500,
      now: () => Date.now(),
      log: (line) => void lines.push(line),
    });
  const putSite = async ({ project, site }: NamedSite) => {
    const folder = projectFolder(home, project);
    await mkdir(folder.root, { recursive: true });
    await writeSite(folder, site);
    return folder;
  };
  const configFile = () => readFileSync(ingressFiles(home).config, "utf8");

  it("loads a changed configuration once, and keeps what Caddy has", async () => {
    const agent = ingress();
    await putSite(app("a.test"));
    await Promise.all([agent.apply(), agent.apply(), agent.apply()]);
    expect(caddy.loaded).toEqual([configFile()]);
    expect(configFile()).toContain("a.test");
    await putSite(app("b.test"));
    await agent.apply();
    await ingress().apply();
    expect(caddy.loaded).toHaveLength(2);
    expect(agent.problem()).toBeNull();
  });

  it("balances nothing that its policy does not allow, also what it was told before", async () => {
    const { cert } = createCertificate(home);
    const root = readFileSync(cert, "utf8");
    const member = { ip: "192.0.2.9", address: "192.0.2.9", port: 8443, http_port: 80, root };
    const id = ids.server();
    const balance = { project_id: ids.project(), domain: "bank.test", aliases: [], sticky: false };
    await storeFleet(home, {
      revision: 1,
      servers: [{ id, ...member }],
      balances: [{ ...balance, members: [id], peers: [] }],
      serves: [],
    });
    const open = ingress();
    await open.apply();
    expect(open.fleetProblem()).toBeNull();
    expect(configFile()).toContain("bank.test");
    const limited = ingress({ balance: "checks", file: "/etc/gantry/policy.json" });
    await limited.apply();
    expect(configFile()).not.toContain("bank.test");
    expect(limited.fleetProblem()).toMatch(
      /^This server's policy \(balance\) does not allow balancing bank.test\./,
    );
    expect(lines).toContain(limited.fleetProblem());
  });

  it("says that another program uses the port for balancers", async () => {
    const { cert } = createCertificate(home);
    const root = readFileSync(cert, "utf8");
    const balancer = ids.server();
    const address = { ip: "192.0.2.9", address: "192.0.2.9", port: 8443, http_port: 80, root };
    await storeFleet(home, {
      revision: 1,
      servers: [{ id: balancer, ...address }],
      balances: [],
      serves: [{ entry: "balancer", project_id: ids.project(), hosts: ["a.test"], balancers: [balancer] }],
    });
    caddy.taken = 8443;
    const agent = ingress();
    await putSite(app("b.test"));
    await agent.apply();
    expect(agent.fleetProblem()).toMatch(
      /^Another program uses port 8443, where balancers reach this server\./,
    );
    // What does not need the port works.
    expect(configFile()).toContain("b.test");
    caddy.taken = null;
    await agent.apply();
    expect(agent.fleetProblem()).toBeNull();
    expect(configFile()).toContain(":8443");
  });

  it("configures rules before the switch to them, once, and drops the rules of removed releases with the next", async () => {
    const folder = await putSite({
      project: ids.project(),
      site: { domain: "a.test", aliases: [], content: { kind: "files", directory: "dist" } },
    });
    const agent = ingress();
    await agent.apply();
    const served = () => readFileSync(slotFiles(join(home, "slots"), folder.id).root, "utf8");
    const isConfigured = () => caddy.loaded.at(-1)?.includes(served().split(":")[0] ?? "");
    const switchTo = async (version: number, rules: Partial<SiteRules> | null) => {
      const release = {
        version,
        repository: "https://git.test/a.git",
        limits: {},
        commands_from: "repository" as const,
        commit_sha: "1".repeat(40),
        ...{
          commit_message: "",
          branch: "main",
          project_name: "a",
          root_directory: ".",
          output_directory: "dist",
        },
        activate_command: null,
        ...(rules === null ? {} : { site_rules: { ...defaultRules, ...rules } }),
      };
      await mkdir(releasePath(folder, version), { recursive: true });
      await writeRelease(folder, release);
      await publishSite(
        { ingress: agent, slots: join(home, "slots") },
        folder,
        planSite(release, { isServed: true, isApp: false }),
        null,
      );
    };
    await switchTo(1, null);
    await switchTo(2, null);
    expect([served(), caddy.loaded.length]).toEqual([`default:${releasePath(folder, 2)}/dist`, 1]);
    caddy.onLoad = () => caddy.served.push(served());
    await switchTo(3, { fallback: "200.html" });
    expect([caddy.loaded.length, isConfigured(), caddy.served]).toEqual([
      2,
      true,
      [`default:${releasePath(folder, 2)}/dist`],
    ]);
    await switchTo(2, null);
    await switchTo(3, { fallback: "200.html" });
    await switchTo(4, { fallback: "200.html" });
    expect([caddy.loaded.length, isConfigured()]).toEqual([2, true]);
    for (const version of [3, 4]) await removeRelease(folder, version);
    await switchTo(5, { trailing_slash: "never" });
    expect([caddy.loaded.length, isConfigured()]).toEqual([3, true]);
    expect(configFile()).not.toContain("200.html");
    // After a restart of the server, the slot is empty.
    expect(readFileSync(folder.served, "utf8")).toBe(served());
    expect(configFile()).toContain(folder.served);
  });

  it("serves the other sites when Caddy refuses one, also after its own restart", async () => {
    const good = app("a.test");
    await putSite(good);
    await ingress().apply();
    const bad = app("refused.test");
    await putSite(bad);
    const later = app("c.test");
    await putSite(later);
    const agent = ingress();
    await agent.apply();
    expect(agent.problemOf(bad.project)).toBe('Caddy refuses this site: loading "http": no');
    expect([agent.refusalOf(bad.project), agent.refusalOf(good.project)]).toEqual([
      agent.problemOf(bad.project),
      null,
    ]);
    expect([agent.problem(), agent.problemOf(good.project), agent.problemOf(later.project)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(configFile()).toContain("a.test");
    expect(configFile()).toContain("c.test");
    expect(caddy.loaded.every((config) => config.includes("a.test"))).toBe(true);
    expect(await ingressLines(home)).toMatch(
      /^\ningress: Caddy serves 2 sites\ningress: proj_\w+: Caddy refuses/,
    );
  });

  it("keeps what it did with other servers if Caddy refuses the change, and serves the sites", async () => {
    const [balancer] = sharedServers(1);
    if (balancer === undefined) throw new Error("There is no server.");
    const root = readFileSync(createCertificate(home).cert, "utf8");
    const balances = (revision: number, domain: string) =>
      storeFleet(home, {
        revision,
        servers: [{ id: balancer, ip: "192.0.2.1", address: "10.0.0.1", port: 8443, http_port: 80, root }],
        serves: [],
        balances: [
          { project_id: ids.project(), domain, aliases: [], sticky: false, members: [balancer], peers: [] },
        ],
      });
    await balances(1, "balanced.test");
    const agent = ingress();
    await agent.apply();
    await balances(2, "refused.test");
    await putSite(app("a.test"));
    await agent.apply();
    expect(agent.fleetProblem()).toBe('Caddy refuses what this server does with others: loading "http": no');
    expect([agent.problem(), caddy.loaded.length]).toEqual([null, 2]);
    expect(configFile()).toContain("a.test");
    expect(configFile()).toContain('"balanced.test"');
    expect(await ingressLines(home)).toContain("\ningress: Caddy serves 1 site, and balances 1 project\n");
    await balances(3, "right.test");
    await ingress().apply();
    expect(configFile()).toContain('"right.test"');
  });

  it("works with the other servers if Caddy refuses one, and does not load that again", async () => {
    const [good, bad] = sharedServers(2);
    if (good === undefined || bad === undefined) throw new Error("There are no servers.");
    const root = readFileSync(createCertificate(home).cert, "utf8");
    const server = (id: ServerId, address: string) => ({
      ...{ id, ip: "192.0.2.1", address, port: 8443, http_port: 80, root },
    });
    await storeFleet(home, {
      revision: 1,
      servers: [server(bad, "refused.test"), server(good, "10.0.0.1")],
      serves: [],
      balances: [bad, good].map((one, at) => ({
        ...{ project_id: ids.project(), domain: `${at}.test`, aliases: [], sticky: false },
        ...{ members: [one], peers: [] },
      })),
    });
    const agent = ingress();
    await agent.apply();
    expect(agent.fleetProblem()).toBe('Caddy refuses what this server does with others: loading "http": no');
    expect(configFile()).toContain('"10.0.0.1:8443"');
    const loads = caddy.loaded.length;
    await agent.apply();
    expect(caddy.loaded).toHaveLength(loads);
    expect(lines.join("\n")).toContain(`Caddy refuses the server ${bad}`);
  });

  it("serves a site as before while its file is damaged", async () => {
    const site = app("a.test");
    const folder = await putSite(site);
    const agent = ingress();
    await agent.apply();
    await writeAtomic(folder.site, "");
    await agent.apply();
    expect(configFile()).toContain("a.test");
    expect(agent.problemOf(site.project)).toContain("site.json cannot be used");
    expect(agent.refusalOf(site.project)).toBeNull();
    await putSite(app("b.test", site.project));
    await agent.apply();
    expect(configFile()).not.toContain("a.test");
    expect(agent.problemOf(site.project)).toBeNull();
  });

  it("says that Caddy does not answer, and applies the sites when it does again", async () => {
    caddy.close();
    await putSite(app("a.test"));
    const agent = ingress();
    await agent.apply();
    expect(agent.problem()).toContain("does not answer");
    let changes = 0;
    void agent.watch(watching.signal, () => (changes += 1));
    await expect.poll(() => changes).toBe(1);
    await pause(100);
    expect(changes).toBe(1);
    expect(lines.filter((line) => line.includes("does not answer"))).toHaveLength(1);
    await caddy.listen();
    await expect.poll(() => agent.problem()).toBeNull();
    expect(configFile()).toContain("a.test");
    expect(lines.at(-1)).toBe("the ingress works again");
    await expect.poll(() => changes).toBe(2);
    await pause(100);
    expect(changes).toBe(2);
  });
});

describe("the certificates of a project", () => {
  it("are unknown until they are checked, late in the last sixth of their time, and valid when they are renewed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gantry-certificates-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { key, cert } = createCertificate(folder);
    const caddy = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
    await new Promise<void>((resolve) => caddy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void caddy.close());
    const address = caddy.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    let now = Date.now();
    const sockets = { admin: "/run/admin.sock", check: "/run/check.sock" };
    const settings = IngressSettings.parse({ ...sockets, https_port: address.port });
    const site = app("shop.test");
    const checks = createCertificateChecks(settings, () => now);
    const check = async (times: number) => {
      let found = await checks.check([site]);
      for (let time = 1; time < times; time += 1) found = await checks.check([site]);
      return found;
    };
    const of = ({ certificates }: CertificatesFound) => certificates.get(site.project)?.[0];

    now += 0.9 * DAY_MS;
    expect(of(await check(5))).toEqual({
      domain: "shop.test",
      state: "unknown",
      expires_at: null,
      problem: null,
    });
    const late = await check(1);
    expect(of(late)).toMatchObject({ state: "late", expires_at: expect.stringMatching(/^20.*Z$/) });
    expect(late.problems.get(site.project)).toMatch(/^The certificate of shop\.test expires soon/);
    now -= 0.9 * DAY_MS;
    const renewed = await check(1);
    expect(of(renewed)).toMatchObject({ state: "valid", problem: null });
    expect(renewed.problems.size).toBe(0);
    // Nothing answers, which says nothing about the certificate.
    caddy.close();
    expect(of(await check(2))).toMatchObject({ state: "valid" });
  });
});
