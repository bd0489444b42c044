import { once } from "node:events";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:tls";
import { setTimeout as pause } from "node:timers/promises";

import { afterEach, describe, expect, it } from "vitest";

import { openPolicy } from "#agent/policy/policy.ts";
import { createCaddyIngress } from "#agent/ingress/caddy/caddy-ingress.ts";
import { ingressFiles } from "#agent/ingress/caddy/load-sites.ts";
import { applyDrain, showStarted } from "#agent/ingress/drain.ts";
import { nameOfProject, READY_NAME } from "#agent/ingress/fleet/fleet-names.ts";
import { readSite, writeSite } from "#agent/ingress/site-file.ts";
import { setMaintenance } from "#agent/ingress/slots.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids } from "../agent/support/harness.ts";
import { eventually } from "../support/faults/eventually.ts";
import { createCertificate } from "../support/git-server.ts";
import { type Load, openSocket, startLoad } from "../support/load/load.ts";
import { startLoadApp } from "../support/load/load-app.ts";
import { ask } from "./support/echo-app.ts";
import { ALIAS, DOMAIN, TestFleet, type TestServer } from "./support/test-fleet.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A fleet whose balancer knows that all members are ready. */
async function startFleet(...args: Parameters<typeof TestFleet.start>): Promise<TestFleet> {
  const fleet = await TestFleet.start(...args);
  closing.push(() => fleet.close());
  const { log } = fleet.balancer.test;
  await eventually(
    () =>
      `all members are ready: ${[...log, ...fleet.members.flatMap((one) => one.test.log), fleet.balancer.test.caddyLog.slice(-3000)].join("\n")}`,
    () => log.filter((line) => line.endsWith("takes requests")).length === fleet.members.length,
  );
  log.length = 0;
  return fleet;
}

/** The load of 16 clients, which ends with the test at the latest. */
function loadOn(fleet: TestFleet): Load {
  const load = startLoad(fleet.target());
  closing.push(() => load.stop());
  return load;
}

/** What a visitor gets, with a new connection. */
function visit(fleet: TestFleet, path = "/", headers: Record<string, string> = {}) {
  const { port, ca } = fleet.target();
  return ask({ port, tls: { name: DOMAIN, ca } }, path, { host: DOMAIN, ...headers });
}

/** The names of the apps that answer some visits in a row. */
async function answering(fleet: TestFleet): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let count = 0; count < 2 * fleet.members.length; count += 1)
    seen.add((await visit(fleet)).body.split(" ")[0] ?? "");
  return [...seen].toSorted();
}

const configOf = ({ test }: TestServer) => readFileSync(ingressFiles(test.home).config, "utf8");

describe("A balancer", () => {
  it("loses no request and cuts no WebSocket while its members switch in sequence", async () => {
    const fleet = await startFleet(3);
    const configs = fleet.servers.map(configOf);
    const socket = openSocket(fleet.target());
    closing.push(() => socket.terminate());
    await once(socket, "open");
    const echo = async () => {
      socket.send("hello");
      const [message] = await once(socket, "message");
      return String(message);
    };
    const hello = await echo();
    const load = loadOn(fleet);
    await load.answeredBy("app-0");
    for (let turn = 0; turn < 12; turn += 1) {
      // Its app closes the WebSocket when it ends, and so must stay.
      if (hello !== `app-${turn % 3} hello`) await fleet.deploy(turn % 3);
      await pause(100);
    }
    await load.answeredBy("app-2");
    expect(await load.stop()).toMatchObject({ failures: {}, cutSockets: 0 });
    expect(await echo()).toBe(hello);
    expect(fleet.servers.map(configOf)).toEqual(configs);
  });

  it("sends a drained member no more requests, so that its Caddy can be restarted", async () => {
    const fleet = await startFleet(2);
    const { test } = fleet.member(0);
    const load = loadOn(fleet);
    await load.answeredBy("app-0");
    await applyDrain(test, { revision: 1, since: 1 });
    await expect.poll(() => answering(fleet)).toEqual(["app-1"]);
    // The longest request.
    await pause(2000);
    await test.stop();
    await test.start();
    await applyDrain(test, { revision: 2, since: null });
    await expect.poll(() => answering(fleet)).toEqual(["app-0", "app-1"]);
    const { failures } = await load.stop();
    expect(failures).toEqual({});
    const said = fleet.balancer.test.log.map((line) => line.replace(/.*:\d+ /, ""));
    expect(said.filter((line) => !line.startsWith("does not answer"))).toEqual([
      "is drained, and gets no more requests",
      "takes requests",
    ]);
  });

  it("takes a member out that is killed or hangs, and takes it back", async () => {
    const fleet = await startFleet(2);
    const { test, id } = fleet.member(0);
    const { ingress } = fleet.balancer.test;
    const out = () => ingress.reportBalance()?.[0]?.out;
    for (const [fail, recover] of [
      [() => test.kill(), () => test.start()],
      [() => test.signal("SIGSTOP"), () => test.signal("SIGCONT")],
    ] as const) {
      await fail();
      await expect.poll(out).toEqual([id]);
      const load = loadOn(fleet);
      await load.answeredBy("app-1");
      expect(await load.stop()).toMatchObject({ failures: {}, answers: { "app-1": expect.any(Number) } });
      await recover();
      await expect.poll(out).toEqual([]);
      await expect.poll(() => answering(fleet)).toEqual(["app-0", "app-1"]);
    }
  });

  it("sends requests to all members if none answers, and to the drained ones if all are drained", async () => {
    const fleet = await startFleet(2);
    const [one, two] = [fleet.member(0), fleet.member(1)];
    await applyDrain(one.test, { revision: 1, since: 1 });
    await expect.poll(() => answering(fleet)).toEqual(["app-1"]);
    await applyDrain(two.test, { revision: 1, since: 1 });
    await expect.poll(() => answering(fleet)).toEqual(["app-0", "app-1"]);
    await Promise.all([one.test.kill(), two.test.kill()]);
    const { ingress } = fleet.balancer.test;
    await expect.poll(() => ingress.reportBalance()?.[0]?.out).toEqual([one.id, two.id]);
    const down = await visit(fleet);
    expect(down).toMatchObject({ status: 502, headers: { "retry-after": "10" } });
    expect(down.body).toContain("No answer");
    // No check is needed before the first answer.
    await two.test.start();
    expect((await visit(fleet)).body).toBe("app-1 GET 0");
  });

  it("sends a member requests once the project is live there, and until it is about to be removed", async () => {
    const fleet = await startFleet(2);
    const { test } = fleet.member(0);
    const folder = projectFolder(test.home, fleet.project);
    const read = await readSite(folder);
    if (read.kind !== "site") throw new Error(read.kind);
    const load = loadOn(fleet);
    await load.answeredBy("app-0");
    await test.ingress.leave(fleet.project);
    await writeSite(folder, null);
    await test.ingress.apply();
    expect(await answering(fleet)).toEqual(["app-1"]);
    expect(fleet.balancer.test.ingress.reportBalance()?.[0]?.out).toEqual([]);
    await writeSite(folder, read.site);
    await test.ingress.apply();
    await load.answeredBy("app-0");
    // The reload of the member costs a request at most, which is not what this test is about.
    expect((await load.stop()).failures).not.toHaveProperty(["GET /: status 404"]);
    const said = fleet.balancer.test.log.map((line) => line.replace(/.*:\d+ /, ""));
    expect(said).toEqual(["has no release, and gets no requests", "takes requests"]);
  });

  it("keeps a member out when the agent starts again without a control plane", async () => {
    const fleet = await startFleet(2);
    const { balancer } = fleet;
    await fleet.member(0).test.kill();
    await expect.poll(() => answering(fleet)).toEqual(["app-1"]);
    balancer.unwatch();
    const again = createCaddyIngress({
      home: balancer.test.home,
      slots: balancer.test.slots,
      settings: balancer.test.settings,
      policy: openPolicy,
      checkMs: 100,
      membersMs: 500,
      now: () => Date.now(),
      log: () => undefined,
    });
    await again.apply();
    expect(await answering(fleet)).toEqual(["app-1"]);
    const watching = new AbortController();
    closing.push(() => watching.abort());
    void again.watch(watching.signal, () => undefined);
    await fleet.member(0).test.start();
    await expect.poll(() => answering(fleet)).toEqual(["app-0", "app-1"]);
  });

  it("serves its members also after a reboot, before the agent has written the slots", async () => {
    const fleet = await startFleet(2);
    fleet.balancer.unwatch();
    await rm(fleet.balancer.test.slots, { recursive: true, force: true });
    expect(await answering(fleet)).toEqual(["app-0", "app-1"]);
    fleet.balancer.watch();
  });

  it("sends a visitor to the same member again, and moves only the visitors of a member that is out", async () => {
    const fleet = await startFleet(3, { sticky: true });
    const visitors: { cookie: string; app: string }[] = [];
    for (let count = 0; count < 24; count += 1) {
      const { headers, body } = await visit(fleet);
      const [cookie = ""] = headers["set-cookie"] ?? [];
      expect(cookie).toMatch(/^gantry_server=.*; HttpOnly.*; Secure/);
      visitors.push({ cookie: cookie.split(";")[0] ?? "", app: body.split(" ")[0] ?? "" });
    }
    const appsNow = () =>
      Promise.all(
        visitors.map(async ({ cookie }) => (await visit(fleet, "/", { cookie })).body.split(" ")[0]),
      );
    const before = visitors.map(({ app }) => app);
    expect([...new Set(before)].toSorted()).toEqual(["app-0", "app-1", "app-2"]);
    expect(await appsNow()).toEqual(before);
    await fleet.member(1).test.kill();
    const moved = before.map((app) => (app === "app-1" ? expect.stringMatching(/^app-[02]$/) : app));
    await expect.poll(appsNow).toEqual(moved);
    await fleet.member(1).test.start();
    await expect.poll(appsNow).toEqual(before);
    // A project with one server less: its visitors move, and no others.
    await fleet.tell({ sticky: true, members: [fleet.member(2).id, fleet.member(0).id] });
    await expect.poll(appsNow).toEqual(moved);
  });

  it("passes on maintenance, redirects aliases, and tells the app who the visitor is", async () => {
    const fleet = await startFleet(1);
    const { headers } = JSON.parse(
      `{"headers":${(await visit(fleet, "/headers", { "x-forwarded-for": "6.6.6.6", "x-forwarded-proto": "http" })).body}}`,
    );
    expect(headers).toMatchObject({
      host: DOMAIN,
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": DOMAIN,
    });
    const { port, ca } = fleet.target();
    const redirected = await ask({ port, tls: { name: ALIAS, ca } }, "/a?b=1", { host: ALIAS });
    expect(redirected).toMatchObject({
      status: 301,
      headers: { location: `https://${DOMAIN}:${port}/a?b=1` },
    });
    await setMaintenance(fleet.member(0).test.slots, fleet.project, "closed");
    expect(await visit(fleet)).toMatchObject({
      status: 503,
      body: "closed",
      headers: { "retry-after": "60" },
    });
  });
});

it("a balancer can be a member itself", async () => {
  const fleet = await startFleet(1);
  const { balancer, project } = fleet;
  const app = await startLoadApp("app-own");
  closing.push(() => app.end());
  const site = { domain: DOMAIN, aliases: [], content: { kind: "app" } } as const;
  await balancer.test.put(project, { ...site, aliases: [] }, [app.address]);
  await showStarted(balancer.test);
  fleet.adjust = (state) => {
    const [balance] = state.balances;
    if (balance === undefined) return state;
    const members = [...balance.members, balancer.id];
    const serves = {
      entry: "balancer",
      project_id: project,
      hosts: [DOMAIN],
      balancers: [balancer.id],
    } as const;
    return {
      ...state,
      balances: [{ ...balance, members }],
      serves: [{ ...serves, hosts: [DOMAIN], balancers: [balancer.id] }],
    };
  };
  await fleet.tell();
  await expect.poll(() => answering(fleet)).toEqual(["app-0", "app-own"]);
  await applyDrain(balancer.test, { revision: 1, since: 1 });
  await expect.poll(() => answering(fleet)).toEqual(["app-0"]);
});

describe("A member", () => {
  /** Begins TLS at the port for balancers, and asks for a host. @returns the first line of the answer, or why there is none */
  function askDirectly(
    { test }: TestServer,
    servername: string,
    host: string,
    client: { cert?: Buffer; key?: Buffer } = {},
  ): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect({
        host: "127.0.0.1",
        port: test.settings.fleet_port,
        servername,
        rejectUnauthorized: false,
        ...client,
      });
      socket.on("secureConnect", () =>
        socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      );
      socket.on("data", (data: Buffer) => resolve(data.toString().split("\r\n")[0] ?? ""));
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.on("close", () => resolve("closed"));
    });
  }

  it("answers nobody but its balancers", async () => {
    const fleet = await startFleet(1);
    const member = fleet.member(0);
    const { test } = member;
    const sni = nameOfProject(fleet.project);
    const { key, cert } = createCertificate(test.home);
    const stranger = { key: readFileSync(key), cert: readFileSync(cert) };
    // The usual ports do not know the domain.
    const { http_port: http, https_port: https } = test.settings;
    expect((await ask({ port: http }, "/", { host: DOMAIN })).status).toBe(404);
    const direct = ask({ port: https, tls: { name: DOMAIN, ca: test.authority } }, "/", { host: DOMAIN });
    await expect(direct).rejects.toThrow(/alert internal error/);
    const refusal =
      /ERR_SSL.*(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN)|ECONNRESET/;
    for (const name of [sni, READY_NAME]) {
      expect(await askDirectly(member, name, DOMAIN)).toMatch(refusal);
      expect(await askDirectly(member, name, DOMAIN, stranger)).toMatch(refusal);
    }
    expect(await askDirectly(member, DOMAIN, DOMAIN, stranger)).toMatch(/ERR_SSL/);
    expect((await visit(fleet)).status).toBe(200);
    expect(await test.ingress.readCertificate(DOMAIN)).toBeNull();
    expect(test.ingress.certificatesOf(fleet.project)).toBeNull();
  });

  it("answers the balancer of another project for that project only", async () => {
    const fleet = await startFleet(1);
    const member = fleet.member(0);
    const other = ids.project();
    const { key, cert } = createCertificate(member.test.home);
    const balancer = { key: readFileSync(key), cert: readFileSync(cert) };
    const id = ids.server();
    fleet.adjust = (state) => {
      const [known] = state.servers;
      if (state.balances.length > 0 || known === undefined) return state;
      return {
        ...state,
        servers: [...state.servers, { ...known, id, root: balancer.cert.toString() }],
        serves: [
          ...state.serves,
          { entry: "balancer", project_id: other, hosts: ["docs.localhost"], balancers: [id] },
        ],
      };
    };
    await member.test.put(other, { domain: "docs.localhost", aliases: [], content: { kind: "app" } }, [
      fleet.apps[0]?.address ?? "",
    ]);
    await fleet.tell();
    const [own, foreign] = [nameOfProject(other), nameOfProject(fleet.project)];
    await expect.poll(() => askDirectly(member, own, "docs.localhost", balancer)).toBe("HTTP/1.1 200 OK");
    expect(await askDirectly(member, own, DOMAIN, balancer)).toBe("HTTP/1.1 404 Not Found");
    expect(await askDirectly(member, foreign, DOMAIN, balancer)).toMatch(/ERR_SSL/);
  });

  it("serves the domain itself again when the project has no balancer any more", async () => {
    const fleet = await startFleet(1);
    const { test } = fleet.member(0);
    await showStarted(test);
    fleet.adjust = (state) => ({ ...state, balances: [], serves: [] });
    await fleet.tell();
    const { https_port: port } = test.settings;
    await expect
      .poll(async () => {
        const way = { port, tls: { name: DOMAIN, ca: test.authority } };
        return (await ask(way, "/", { host: DOMAIN }).catch(() => null))?.body;
      })
      .toBe("app-0 GET 0");
    await expect(visit(fleet)).rejects.toThrow(/alert internal error/);
    expect(configOf(fleet.member(0))).not.toContain(`:${test.settings.fleet_port}`);
  });
});
