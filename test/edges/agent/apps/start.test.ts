import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { noSites } from "#agent/sites/sites-client.ts";
import { HealthCheck } from "#contract/endpoints/projects/settings.ts";
import { Timeouts } from "#contract/endpoints/projects/settings.ts";

import { eventsOf, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import {
  notedInstances,
  slotAddresses,
  smallApp,
  smallWeb,
  visit,
} from "../../../agent/support/small-app.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit(smallApp("one"));
});
afterEach(() => world.close());

const processes = { web: smallWeb };
const health_check = HealthCheck.parse({ path: "/up" });

describe("a deployment of an app", () => {
  it("starts it, checks it, leads its domain to it, and replaces it at the next", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy({ processes, health_check, drain_seconds: 0 });
    expect(result).toMatchObject({ outcome: "live", evidence: { health_check: { status: 200 } } });
    expect(await visit(world)).toBe("one web-1-0");
    expect(await visit(world, "/env/GANTRY_PROCESS")).toBe("web");
    expect(eventsOf(run, "stage").map(({ stage }) => stage)).toEqual([
      ...["fetch", "build", "start", "activate", "verify"],
    ]);
    const system = messagesOf(run, "system");
    expect(system).toContain("starting web (1 instance)");
    expect(system).toContainEqual(expect.stringMatching(/^web-1-0 listens on port 2\d{4} after \d+\.\d s$/));
    expect(system).toContain("web-1-0 is healthy");
    expect(system).toContain("switched to web-1-0");
    expect(eventsOf(run, "result")[0]?.project.processes).toMatchObject([
      { name: "web", wanted: 1, instances: [{ name: "web-1-0", state: "live", restarts: 0 }] },
    ]);

    world.repository.commit({ "version.txt": "two" });
    expect((await world.deploy({ processes, health_check, drain_seconds: 0 })).result.outcome).toBe("live");
    expect(await visit(world)).toBe("two web-2-0");
    await expect.poll(() => notedInstances(world)).toEqual(["web-2-0"]);
  });

  it("is said to have no visitors on a server without an ingress", async () => {
    const problem =
      "The server has no ingress, so visitors do not reach its apps. To add one, run the install command with --ingress.";
    const agent = await world.startAgent();
    expect(world.control.lastHello?.ingress_problem).toBeUndefined();
    const { run } = await world.deploy({ processes });
    expect(messagesOf(run, "system")).toContain(`warning: ${problem}`);
    expect(eventsOf(run, "result")[0]?.project.ingress_problem).toBe(problem);
    await agent.stop();
    const hellos = world.control.hellos;
    await world.startAgent();
    await world.control.waitForHello(hellos);
    expect(world.control.lastHello).toMatchObject({
      ingress_problem: problem,
      projects: [{ project_id: world.projectId, ingress_problem: problem }],
    });
  });

  it("has its domain led to it on a server with a site server", async () => {
    await world.startAgent({}, { ...noSites, kind: "local", register: async () => "http://127.0.0.1:1" });
    const { run } = await world.deploy({ processes });
    const system = messagesOf(run, "system");
    expect(system).toContain("switched shop.localhost to web-1-0");
    expect(system.filter((line) => line.startsWith("warning"))).toEqual([]);
    expect(eventsOf(run, "result")[0]?.project.ingress_problem).toBeUndefined();
  });

  it("keeps what runs when it is scaled, and leads evenly to all", async () => {
    await world.startAgent();
    await world.deploy({ processes });
    const { run, result } = await world.deploy({
      ...{ reuse_release: 1, preapproved: true },
      processes: { web: { ...smallWeb, instances: 3 } },
    });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "system").join("\n")).not.toContain("switched current");
    expect(notedInstances(world)).toEqual(["web-1-0", "web-2-0", "web-2-1"]);
    expect(slotAddresses(world)).toHaveLength(3);
  });

  it("fails with the last lines of output when it ends, and visitors never see it", async () => {
    await world.startAgent();
    await world.deploy({ processes });
    const backtrace = `"    from app.rb:1\\n".repeat(1000)`;
    const program = `console.error("Error: no database\\n" + ${backtrace} + "end");\nprocess.exit(3);`;
    world.repository.commit({ "server.js": program });
    const { run, result } = await world.deploy({ processes });
    expect(result).toMatchObject({
      outcome: "failed",
      failure: {
        code: "start_failed",
        stage: "start",
        message: "web-2-0 ended with exit code 3",
        failing_line: "Error: no database",
        evidence: { exit_code: 3, stderr_tail: expect.stringMatching(/from app\.rb:1\nend\n$/) },
      },
    });
    expect(eventsOf(run, "stage").map(({ stage }) => stage)).not.toContain("activate");
    expect(await visit(world)).toBe("one web-1-0");
    expect(notedInstances(world)).toEqual(["web-1-0"]);
    expect(world.current).toBe("releases/1");
  });

  it("passes its check if it wants HTTPS, and gets a hint if it redirects all the same", async () => {
    await world.startAgent();
    world.repository.commit({ "https-only": "" });
    const check = HealthCheck.parse({ path: "/up", tries: 1 });
    expect((await world.deploy({ processes, health_check: check })).result.outcome).toBe("live");
    world.repository.commit({ redirects: "" });
    expect((await world.deploy({ processes, health_check: check })).result).toMatchObject({
      failure: {
        stage: "start",
        evidence: { health_status: 301 },
        hint: expect.stringContaining("redirects the check to HTTPS"),
      },
    });
  });

  it.each<[status: number, body: string, printed: string, setting: string | null]>([
    [400, "<title>Bad Request (400)</title>", "", "ALLOWED_HOSTS"],
    [403, "", "[ActionDispatch::HostAuthorization] Blocked hosts: shop.localhost", "config.hosts"],
    [403, 'Blocked request. This host ("shop.localhost") is not allowed.', "", "preview.allowedHosts"],
    [403, "Forbidden", "", null],
    [500, "", "Blocked hosts: shop.localhost", null],
  ])("gets a hint if it refuses its domain with %i %s%s", async (status, body, printed, setting) => {
    await world.startAgent();
    const answer = `console.log(${JSON.stringify(printed)}); response.writeHead(${status}).end(${JSON.stringify(body)});`;
    const app = `require("node:http").createServer((_, response) => { ${answer} }).listen(process.env.PORT, process.env.HOST);`;
    world.repository.commit({ "server.js": app });
    const check = HealthCheck.parse({ path: "/up", tries: 1 });
    const { result } = await world.deploy({ processes, health_check: check });
    if (result.outcome !== "failed") throw new Error(result.outcome);
    expect(result.failure).toMatchObject({
      code: "health_check_failed",
      evidence: { health_status: status },
    });
    expect(result.failure.hint).toBe(
      setting === null
        ? undefined
        : `The app refuses requests for the host shop.localhost. Add the project's domain and its aliases to ${setting}.`,
    );
  });

  it("fails when it does not listen on its port, or does not pass its check", async () => {
    // What listens elsewhere is said long before.
    await world.startAgent({ silentInstanceMs: 12_000 });
    world.repository.commit({
      "server.js":
        "require('node:http').createServer().listen(0, '::1', () => console.log('http://localhost:3000')); ",
    });
    const timeouts = { ...Timeouts.parse({}), start_seconds: 10 };
    const silent = await world.deploy({ processes, timeouts });
    const lines = messagesOf(silent.run, "system").filter((line) => line.includes("does not listen"));
    expect(lines).toEqual([
      expect.stringMatching(
        /^web-1-0 does not listen on 127\.0\.0\.1:2\d{4} yet; it listens on \[::1\]:\d+: use the port in PORT and the address in HOST, 127\.0\.0\.1$/,
      ),
    ]);
    expect(silent.result).toMatchObject({
      failure: {
        code: "timed_out",
        stage: "start",
        hint: expect.stringMatching(
          /^The app does not use the port that it gets: it listens on \[::1\]:\d+: use the port in PORT and the address in HOST, 127\.0\.0\.1\.$/,
        ),
      },
    });
    world.repository.commit({ ...smallApp("sick"), sick: "" });
    const check = HealthCheck.parse({ path: "/up", tries: 2, interval_seconds: 0.1 });
    expect((await world.deploy({ processes, health_check: check })).result).toMatchObject({
      failure: { code: "health_check_failed", stage: "start", evidence: { health_status: 503 } },
    });
    expect(world.current).toBeNull();
    expect(notedInstances(world)).toEqual([]);
  });
});
