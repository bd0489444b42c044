import { writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type AgentArguments, readArguments } from "#agent/main/arguments.ts";
import { EXPOSITION_TYPE, expositionOf } from "#agent/metrics/exposition.ts";
import { freePort } from "../../support/free-port.ts";
import { readExposition } from "../../support/read-exposition.ts";
import { enrollAgent, spawnAgent } from "../support/agent-process.ts";
import { AgentWorld } from "../support/harness.ts";
import { smallApp, smallWeb } from "../support/small-app.ts";

const NAME = 'my "shop"\\\nnew';

describe("GET /metrics of an agent", () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await AgentWorld.create();
    world.repository.commit(smallApp("one"));
    await enrollAgent(world);
  });
  afterEach(() => world.close());

  /** Starts an agent that serves its metrics. */
  async function startAgent(address: string) {
    const hellos = world.control.hellos;
    const agent = spawnAgent(["run", "--home", world.home, "--metrics", address]);
    await world.control.waitForHello(hellos);
    return agent;
  }

  it("has its apps, its runs and its link, in Prometheus' format", async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const agent = await startAgent(address);
    const get = (path: string, method = "GET") => fetch(`http://${address}${path}`, { method });
    const processes = {
      web: { ...smallWeb, instances: 2 },
      worker: { command: `until [ -f ${world.file("end")} ]; do sleep 0.05; done; exit 1` },
    };
    const live = await world.deploy({ project_name: NAME, processes });
    expect(live.result).toMatchObject({ outcome: "live" });
    const failed = await world.deploy({ project_name: NAME, processes, build_command: "exit 1" });
    expect(failed.result.outcome).toBe("failed");

    const response = await get("/metrics");
    expect(response.headers.get("content-type")).toBe(EXPOSITION_TYPE);
    const samples = readExposition(await response.text());
    const values = (name: string, labels: Record<string, string> = {}) =>
      samples
        .filter(
          (one) =>
            one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
        )
        .map(({ value }) => value);
    const project = { project: NAME, project_id: world.projectId };
    expect(values("gantry_link_connected")).toEqual([1]);
    expect(values("gantry_build_info")).toEqual([1]);
    expect(values("gantry_project_release", project)).toEqual([1]);
    expect(values("gantry_process_instances_wanted", { process: "web" })).toEqual([2]);
    expect(values("gantry_process_instances_live", { process: "web" })).toEqual([2]);
    const web = { ...project, process: "web" };
    expect(values("gantry_instance_up", web)).toEqual([1, 1]);
    expect(values("gantry_instance_crash_looping", web)).toEqual([0, 0]);
    for (const bytes of values("gantry_instance_memory_bytes", web)) expect(bytes).toBeGreaterThan(1e6);
    expect(values("gantry_instance_cpu_seconds_total", { ...web, name: "web-1-0" })[0]).toBeGreaterThan(0);
    const now = Date.now() / 1000;
    for (const name of ["gantry_instance_start_time_seconds", "gantry_run_last_end_time_seconds"])
      expect(now - (values(name)[0] ?? 0)).toBeLessThan(60);
    expect(values("gantry_runs_total", { result: "live" })).toEqual([1]);
    expect(values("gantry_runs_total", { result: "failed" })).toEqual([1]);
    expect(values("gantry_run_last_live", project)).toEqual([0]);
    expect(values("gantry_run_last_stage_seconds", { stage: "build" })[0]).toBeGreaterThan(0);
    const [rss = 0] = values("process_resident_memory_bytes");
    expect(rss).toBeGreaterThan(1e7);

    writeFileSync(world.file("end"), "");
    await expect
      .poll(async () => await (await get("/metrics")).text())
      .toMatch(/gantry_instance_restarts_total\{.*process="worker".*\} [1-9]/);
    for (const path of ["/", "//", "//:x/metrics", "/metrics/"]) expect((await get(path)).status).toBe(404);
    expect((await get("/metrics", "POST")).status).toBe(405);
    expect((await get("/metrics", "HEAD")).status).toBe(200);

    // A second agent of the server, with an address that is in use, works without its metrics.
    agent.child.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
    const { port } = new URL(world.control.url);
    const other = await startAgent(`127.0.0.1:${port}`);
    expect(other.output()).toContain("/metrics cannot be served: listen EADDRINUSE");
    other.child.kill("SIGTERM");
    expect(await other.exited).toBe(0);
  });
});

describe("--metrics", () => {
  const addressOf = (text: string): AgentArguments =>
    readArguments(["run", "--home", "/h", "--metrics", text]);

  it.each([
    ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
    ["[::1]:9464", { host: "::1", port: 9464 }],
    ["localhost:80", { host: "localhost", port: 80 }],
  ])("takes %s", (text, metrics) => {
    expect(addressOf(text)).toMatchObject({ kind: "run", metrics });
  });

  it.each(["0.0.0.0:9464", "192.0.2.1:9464", "[::]:9464", "127.0.0.1.evil:9464"])("refuses %s", (text) => {
    expect(addressOf(text)).toMatchObject({ kind: "wrong", message: expect.stringContaining(`not ${text}`) });
  });

  it.each(["9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", ""])(
    "needs an address and a port, not '%s'",
    (text) => {
      expect(addressOf(text)).toMatchObject({
        kind: "wrong",
        message: expect.stringContaining("an address and a port"),
      });
    },
  );
});

describe("a metric", () => {
  it("is read as it was written, whatever its values and labels are", () => {
    const samples = [1e-7, 1e21, -0.5, Infinity, -Infinity].map((value, at) => ({
      labels: { project: `${NAME}${at}`, empty: "", comma: 'a="b",c' },
      value,
    }));
    const text = expositionOf([
      { name: "some_bytes", type: "gauge", help: "A text\nwith a \\ and a line.", samples },
      { name: "none", type: "counter", help: "Left out.", samples: [] },
      { name: "one_total", type: "counter", help: "One.", samples: [{ labels: {}, value: 1 }] },
    ]);
    expect(readExposition(text)).toEqual([
      ...samples.map((sample) => ({ name: "some_bytes", ...sample })),
      { name: "one_total", labels: {}, value: 1 },
    ]);
  });
});
