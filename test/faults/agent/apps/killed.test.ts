import { rmSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { spawnAgent } from "../../../agent/support/agent-process.ts";
import { again, KilledApp } from "../../../agent/support/killed-app.ts";
import { partsOf } from "../../../support/sample.ts";
import { runningInstances, slotAddresses, visit } from "../../../agent/support/small-app.ts";

let app: KilledApp;
afterEach(() => app.close());

describe.each(partsOf(6))("an agent that is killed before any of the steps, $part, of", (part) => {
  beforeEach(async () => {
    app = await KilledApp.create(part);
    await app.deploy();
  });

  it("a switch leaves what the control plane calls live, and nothing else", async () => {
    const steps = await app.killInRuns(() => app.order(again), "instances");
    expect(steps).toEqual(
      expect.arrayContaining([
        "web-N-N.json",
        "run.json",
        "desired.next.json",
        "desired.json",
        "N",
        "current",
      ]),
    );
  });

  it("the way back from a failed switch does the same", async () => {
    const failing = {
      url: "http://127.0.0.1:9/",
      status: 200,
      tries: 1,
      interval_seconds: 1,
      timeout_seconds: 1,
    };
    const steps = await app.killInRuns(() => app.order({ ...again, health_check: failing }), "way-back");
    expect(steps).toEqual(expect.arrayContaining(["current", "desired.next.json"]));
  });
});

describe.each(partsOf(6))("an agent that is killed before any of the steps, $part, of", (part) => {
  const elsewhere = { ...again, restart: [], place: { processes: ["worker"], cron: false } };
  beforeEach(async () => {
    app = await KilledApp.create(part);
    await app.deploy();
  });

  /** With web on another server, the domain leads nowhere and nothing runs. */
  async function expectElsewhere(): Promise<void> {
    const { world } = app;
    await expect.poll(() => runningInstances(world)).toEqual([]);
    expect(world.has("site.json")).toBe(false);
    expect(world.read("place.json")).toContain('"worker"');
  }

  const lastVersion = () => [...app.world.control.runs.values()].at(-1)?.order.version ?? 0;

  function expectNothingPrepared(): void {
    const names = ["place.next.json", "desired.next.json", "cron.next.json"];
    expect(names.filter((name) => app.world.has(name))).toEqual([]);
  }

  it("a move of web to another server has both its domain and its instance, or neither", async () => {
    let here = 1;
    const steps = await app.killInRuns(
      async () => {
        if (!app.world.has("site.json")) {
          await app.deploy(again);
          here = lastVersion();
        }
        return app.order(elsewhere);
      },
      "way-back",
      "agent",
      async (_version, isLive) => {
        await (isLive ? expectElsewhere() : app.expectLive(here));
        expect(app.world.has("site.json")).toBe(!isLive);
        expectNothingPrepared();
      },
    );
    expect(steps).toEqual(expect.arrayContaining(["place.next.json", "site.json", "place.json"]));
  });

  it("a move of web to this server has both its domain and its instance, or neither", async () => {
    const steps = await app.killInRuns(
      async () => {
        if (app.world.has("site.json")) await app.deploy(elsewhere);
        return app.order(again);
      },
      "instances",
      "agent",
      async (version, isLive) => {
        await (isLive ? app.expectLive(version) : expectElsewhere());
        expectNothingPrepared();
      },
    );
    expect(steps).toEqual(expect.arrayContaining(["place.next.json", "site.json", "place.json"]));
  });
});

describe("without the control plane", () => {
  beforeEach(async () => {
    app = await KilledApp.create({ number: 0, of: 1 });
  });

  it("everything that must run is started again after a restart of the server", async () => {
    const { world } = app;
    await app.deploy();
    const before = slotAddresses(world);
    app.agent.child.kill("SIGTERM");
    await app.agent.exited;
    await spawnAgent(["end-apps", "--home", world.home]).exited;
    expect(runningInstances(world)).toEqual([]);
    rmSync(join(world.home, "slots"), { recursive: true });
    world.control.proxyStatus = 502;
    app.agent = spawnAgent(["run", "--home", world.home], { env: app.env() });
    await expect.poll(() => visit(world).catch(String)).toBe("one web-1-0");
    expect(slotAddresses(world)).toEqual(before);
  });
});
