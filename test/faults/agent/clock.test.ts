import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Timeouts } from "#contract/endpoints/projects/settings.ts";
import { pause } from "#contract/lib/pause.ts";

import { linesOf, messagesOf, AgentWorld } from "../../agent/support/harness.ts";
import { notedInstances, slotAddresses, smallApp, smallWeb } from "../../agent/support/small-app.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

describe("a clock that is set while a deployment is under way", () => {
  it.each([
    ["forward", DAY_MS],
    ["back", -DAY_MS],
  ])("a day %s: nothing times out or waits, and all durations are true", async (_name, shiftMs) => {
    await world.startAgent({ signOfLifeMs: 50 });
    const run = world.control.dispatch(
      world.order({
        build_command: `echo before; until [ -e ${world.file("go")} ]; do sleep 0.02; done; echo after`,
        activate_command: "sleep 0.1",
        timeouts: Timeouts.parse({ fetch_seconds: 60, build_seconds: 60, activate_seconds: 60 }),
      }),
    );
    await world.control.waitFor("the build", () => messagesOf(run).includes("before"));
    world.clockShiftMs = shiftMs;
    // The signs of life continue: without them the control plane would count the run as lost.
    const { posts } = run;
    await world.control.waitFor("signs of life", () => run.posts > posts + 5);
    writeFileSync(world.file("go"), "");
    expect((await world.control.result(run)).outcome).toBe("live");

    const spans = messagesOf(run, "system").flatMap(
      (message) => /\((-?[\d.]+) ms\)$/.exec(message)?.[1] ?? [],
    );
    expect(spans.length).toBeGreaterThan(3);
    for (const span of spans) expect(span).toMatch(/^\d{1,5}$/);
    expect(messagesOf(run, "stdout")).toEqual(["before", "after"]);
    const timeOf = (message: string) =>
      Date.parse(linesOf(run).find((line) => line.message === message)?.time ?? "");
    const difference = timeOf("after") - timeOf("before");
    expect(Math.abs(difference - shiftMs)).toBeLessThan(60_000);
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});

describe("a clock that is set while an app runs", () => {
  const processes = { web: smallWeb };

  /** Somebody who stays connected to the live instance. */
  async function stayConnected() {
    const [host = "", port = ""] = slotAddresses(world)[0]?.split(":") ?? [];
    const visitor = connect(Number(port), host).on("error", () => undefined);
    await once(visitor, "connect");
    return visitor;
  }

  async function replace(instance: string, drain_seconds: number): Promise<void> {
    await world.deploy({ processes, restart: ["web"], drain_seconds });
    await expect.poll(() => world.read("instances", `${instance}.json`)).toMatch(/"draining_until":\d/);
  }

  it("fails no deployment, and an instance that was replaced drains for as long as set", async () => {
    world.repository.commit(smallApp("one"));
    await world.startAgent();
    world.clockShiftMs = -DAY_MS;
    expect((await world.deploy({ processes })).result.outcome).toBe("live");

    const visitor = await stayConnected();
    await replace("web-1-0", 60);
    world.clockShiftMs = DAY_MS;
    await pause(700);
    expect(notedInstances(world)).toEqual(["web-1-0", "web-2-0"]);
    visitor.destroy();
    await expect.poll(() => notedInstances(world)).toEqual(["web-2-0"]);

    const other = await stayConnected();
    await replace("web-2-0", 1);
    world.clockShiftMs = -DAY_MS;
    await expect.poll(() => notedInstances(world)).toEqual(["web-3-0"]);
    other.destroy();
  });
});

describe("the time of day", () => {
  it("is read only for times that people see, that files keep or that other programs have, and not for durations", () => {
    const source = resolve(import.meta.dirname, "../../../src");
    const readers = ["agent", "build"]
      .flatMap((folder) =>
        readdirSync(join(source, folder), { recursive: true, encoding: "utf8" }).map((path) =>
          join(folder, path),
        ),
      )
      .filter((path) => path.endsWith(".ts"))
      .filter((path) => /clock\.now\(|Date\.now\(|new Date\(/.test(readFileSync(join(source, path), "utf8")));
    expect(readers.toSorted()).toEqual([
      // When a drain ends, which is noted for the agent's next start.
      "agent/apps/keep-running.ts",
      // The numbers of lines continue after a restart of the agent.
      "agent/apps/output/follow-output.ts",
      // The times of printed lines.
      "agent/apps/output/note-output-times.ts",
      "agent/apps/output/project-output.ts",
      "agent/apps/output/read-output.ts",
      "agent/apps/report-processes.ts",
      // Whether a container has just started, by the time that its supervisor reports.
      "agent/apps/stop-unreachable.ts",
      // When a certificate ends.
      "agent/ingress/caddy/check-certificates.ts",
      // The file of a pause is named by the second in which it ends, for Caddy.
      "agent/ingress/pauses.ts",
      // The times of schedules, and when commands and jobs started and ended.
      "agent/jobs/cron/cron.ts",
      "agent/jobs/cron/due-times.ts",
      "agent/jobs/cron/new-run.ts",
      "agent/jobs/cron/report-jobs.ts",
      "agent/jobs/end-left-jobs.ts",
      "agent/jobs/job-runs.ts",
      // Since when a cron job has its schedule.
      "agent/lifecycle/correct-instances.ts",
      // When the files of earlier releases are no longer needed, which is noted.
      "agent/lifecycle/limit-output-files.ts",
      // Since when the agent is not connected.
      "agent/link/link-retries.ts",
      "agent/main/choose-parts.ts",
      // The time of a printed line.
      "agent/main/environment.ts",
      "agent/main/run-server.ts",
      // The start of the agent, as Prometheus wants it.
      "agent/metrics/read-metrics.ts",
      // When a run ended, for the metrics.
      "agent/report/report-result.ts",
      // Since when a cron job has its schedule.
      "agent/run/activate/activate-stage.ts",
      "agent/run/run-deployment.ts",
      "agent/run/run-log.ts",
      // The current second, which the file of a pause is named by.
      "agent/sites/serve-project.ts",
      "agent/supervisor/instance.ts",
    ]);
  });
});
