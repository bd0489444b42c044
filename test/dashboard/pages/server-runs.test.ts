import { describe, expect, it } from "vitest";

import type { DeploymentRun } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { createIdGenerator, type ServerId } from "#contract/ids.ts";
import {
  byUrgency,
  isGoingBack,
  progressText,
  serverProgress,
  stageColumns,
} from "#dashboard/pages/deployment/server-runs.ts";

const AT = Date.parse("2026-11-20T09:14:00.000Z");
const at = (seconds: number) => AT + seconds * 1000;
let time = 1_700_000_000_000;
const ids = createIdGenerator({ now: () => (time += 1), randomBytes: (count) => new Uint8Array(count) });
const [one, two, three] = [ids.server(), ids.server(), ids.server()];

function run(server: ServerId, change: Partial<DeploymentRun> = {}): DeploymentRun {
  const nothing = {
    ...{ stage: null, failure: null, release: null, evidence: null },
    ...{ started_at: null, finished_at: null },
  };
  return { server_id: server, purpose: "deploy", status: "waiting", ...nothing, ...change };
}

/** The times of the first and the last line of stages, in seconds. */
const spans = (server: ServerId, of: Partial<Record<LogStage, readonly [number, number]>>) => {
  const stages = new Map<LogStage, { first: number; last: number }>();
  for (const stage of ["fetch", "build", "activate", "verify"] as const) {
    const [first, last] = of[stage] ?? [];
    if (first !== undefined && last !== undefined) stages.set(stage, { first: at(first), last: at(last) });
  }
  return new Map([[server, stages]]);
};
const nothing = new Map();
const stands = (runs: readonly DeploymentRun[], status: "building" | "live" | "failed" = "building") =>
  serverProgress({ status, runs: [...runs] }, nothing, AT).map(({ label, tone }) => [label, tone]);

const failure = { code: "health_check_failed", message: "503", stage: "verify" } as const;

describe("the status of a server of a deployment", () => {
  it("says what it does, and that a ready one waits for the others", () => {
    const runs = [
      run(one, { status: "ready", stage: "build" }),
      run(two, { status: "running", stage: "build" }),
      run(three),
    ];
    expect(stands(runs)).toEqual([
      ["Ready, waits for others", "held"],
      ["Build", "building"],
      ["Waiting", "queued"],
    ]);
  });

  it("says which server failed, and which went back to what", () => {
    const runs = [
      run(one, { status: "switched", release: 5 }),
      run(two, { status: "failed", failure }),
      run(three, { status: "stopped" }),
      run(one, { purpose: "revert", status: "switched", release: 4 }),
    ];
    expect(stands(runs, "failed")).toEqual([
      ["Went back to v4", "superseded"],
      ["Failed", "failed"],
      ["Stopped", "canceled"],
    ]);
    expect(stands([run(one), run(one, { purpose: "revert", status: "running" })])).toEqual([
      ["Going back", "building"],
    ]);
  });

  it("says that a server was left out, is behind, and has caught up", () => {
    const late = (status: DeploymentRun["status"], stage: DeploymentRun["stage"] = null) =>
      stands([run(one, { status: "skipped" }), run(one, { purpose: "catch_up", status, stage })], "live")[0];
    expect(stands([run(one, { status: "skipped" })])).toEqual([["Left out, not connected", "degraded"]]);
    expect(late("waiting")).toEqual(["Behind", "degraded"]);
    expect(late("running", "build")).toEqual(["Catching up: Build", "building"]);
    expect(late("switched")).toEqual(["Live, caught up", "live"]);
  });
});

describe("the stages of a server of a deployment", () => {
  const stagesOf = (runs: DeploymentRun[], times: ReturnType<typeof spans>, now = AT) =>
    serverProgress({ status: "building", runs }, times, now)[0]?.stages.flatMap(({ stage, state, seconds }) =>
      stage === "install" || stage === "release" || stage === "start" ? [] : [[stage, state, seconds]],
    );

  it("grow while they run", () => {
    const runs = [run(one, { status: "running", stage: "build" })];
    expect(stagesOf(runs, spans(one, { fetch: [0, 1], build: [2, 3] }), at(9))).toEqual([
      ["fetch", "done", 2],
      ["build", "current", 7],
      ["activate", "open", null],
      ["verify", "open", null],
    ]);
  });

  it("do not grow while the server waits for the others", () => {
    const runs = [run(one, { status: "ready", stage: "build" })];
    expect(stagesOf(runs, spans(one, { fetch: [0, 1], build: [2, 3] }), at(60))?.[1]).toEqual([
      "build",
      "done",
      1,
    ]);
  });

  it("end before the server goes back", () => {
    const back = run(one, {
      purpose: "revert",
      status: "switched",
      started_at: new Date(at(8)).toISOString(),
    });
    const times = spans(one, { fetch: [0, 1], build: [2, 3], activate: [5, 9], verify: [6, 10] });
    const stages = stagesOf([run(one, { status: "switched" }), back], times, at(99));
    expect(stages?.at(-1)).toEqual(["verify", "done", 2]);
  });

  it("are done if the server has switched and the log is not there, and say which one failed", () => {
    expect(stagesOf([run(one, { status: "switched" })], nothing)?.map(([, state]) => state)).toEqual(
      Array.from({ length: 4 }, () => "done"),
    );
    const failed = stagesOf([run(one, { status: "failed", failure })], spans(one, { fetch: [0, 1] }));
    expect(failed?.map(([, state]) => state)).toEqual(["done", "skipped", "skipped", "failed"]);
  });

  it("have a column for an optional stage if a server has begun it", () => {
    const servers = (status: DeploymentRun["status"], stage: DeploymentRun["stage"]) =>
      serverProgress({ status: "building", runs: [run(one), run(two, { status, stage })] }, nothing, AT);
    expect(stageColumns(servers("running", "build"))).toEqual(["fetch", "build", "activate", "verify"]);
    expect(stageColumns(servers("running", "install"))).toContain("install");
  });
});

describe("all servers of a deployment", () => {
  const runs = [
    run(one, { status: "ready" }),
    run(two, { status: "failed", failure }),
    run(three, { status: "ready" }),
  ];
  const all = serverProgress({ status: "building", runs }, nothing, AT);

  it("are counted, the failed ones first", () => {
    expect(progressText(all)).toBe("3 servers: 1 failed, 2 ready");
    const builder = run(one, { purpose: "build", status: "built" });
    const built = serverProgress(
      { status: "live", runs: [builder, run(two, { status: "switched" })] },
      nothing,
      AT,
    );
    expect(progressText(built)).toBe("1 server: 1 live");
  });

  it("are shown with the failed one first on a phone, otherwise in their order", () => {
    expect(byUrgency(all).map(({ id }) => id)).toEqual([two, one, three]);
  });

  it("go back if one of them does, until the deployment has ended", () => {
    const back = run(one, { purpose: "revert" });
    expect(isGoingBack({ status: "building", runs: [run(one), back] })).toBe(true);
    expect(isGoingBack({ status: "building", runs: [run(one)] })).toBe(false);
    expect(isGoingBack({ status: "failed", runs: [run(one), back] })).toBe(false);
  });
});
