import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import type { DeploymentRun } from "#contract/endpoints/deployments/schemas.ts";
import { createStyle } from "#cli/output/style.ts";
import { lengthOf } from "#cli/output/table.ts";
import {
  countsText,
  latestRuns,
  outcomeLines,
  runGrid,
  runRows,
  runState,
  whereText,
} from "#cli/views/run-text.ts";
import { keptFilesText } from "#cli/views/deployment-text.ts";
import { serverPrefixes } from "#cli/views/server-prefix.ts";
import { sharedServers } from "../support/fleet-servers.ts";

const style = createStyle(false);
const NOW = Date.parse("2026-11-20T10:01:00.000Z");
const servers = sharedServers(30);
const nameOf = (id: string) => `web-${servers.findIndex((one) => one === id) + 1}`;

function run(at: number, change: Partial<DeploymentRun> = {}): DeploymentRun {
  const server = servers[at - 1];
  if (server === undefined) throw new Error("there are fewer servers");
  return {
    ...{ server_id: server, purpose: "deploy", status: "switched", stage: null },
    ...{ failure: null, release: null, evidence: null, started_at: "2026-11-20T10:00:19.000Z" },
    finished_at: null,
    ...change,
  };
}
const failure = { code: "health_check_failed", message: "503 from /up", stage: "verify" } as const;

describe("the state of a server in a deployment", () => {
  it("says what it does, also if it goes back or catches up", () => {
    const of = (change: Partial<DeploymentRun>) => runState(run(1, change));
    expect(of({ status: "offered" })).toBe("waiting");
    expect(of({ status: "running", stage: "install" })).toBe("building");
    expect(of({ status: "running", stage: "verify" })).toBe("switching");
    expect(of({ status: "running" })).toBe("starting");
    expect(of({})).toBe("live");
    expect(of({ purpose: "revert", status: "running" })).toBe("going back");
    expect(of({ purpose: "revert" })).toBe("went back");
    expect(of({ purpose: "catch_up", status: "offered" })).toBe("catching up");
  });

  it("is its last run's, and is counted", () => {
    const runs = [
      run(1),
      run(2, { status: "failed", failure }),
      run(3, { status: "ready" }),
      run(1, { purpose: "revert", status: "running" }),
    ];
    expect(latestRuns(runs).map((one) => nameOf(one.server_id))).toEqual(["web-1", "web-2", "web-3"]);
    expect(countsText(latestRuns(runs))).toBe("1 failed, 1 going back, 1 ready");
    expect(outcomeLines(runs.with(3, run(1, { purpose: "revert" })), false, nameOf)).toEqual([
      "went back: web-1",
      "failed on: web-2",
      "not switched: web-3",
    ]);
    expect(runRows(runs.with(3, run(1, { purpose: "revert" })), nameOf, { form: "plain", style })).toEqual([
      ["servers", "web-1", "went back", "–", "–"],
      ["servers", "web-2", "failed", "verify", "503 from /up (health_check_failed)"],
      ["servers", "web-3", "ready", "–", "–"],
    ]);
  });

  it("says which servers are live, and which get the release later", () => {
    const runs = [run(1), run(2), run(3, { status: "skipped" }), run(4, { status: "failed", failure })];
    expect(outcomeLines(runs, true, nameOf)).toEqual([
      "live on: web-1, web-2",
      "skipped, will get it later: web-3",
      "failed, will get it later: web-4",
    ]);
  });
});

describe("on how many servers a deployment is live", () => {
  const build = run(9, { purpose: "build", status: "built" });

  it("is counted without a server that only builds for them", () => {
    expect(whereText([run(1), run(2)])).toBe(" on 2 servers");
    expect(whereText([build, run(1), run(2, { status: "skipped" })])).toBe(" on 1 of 2 servers");
    expect(whereText([build, run(1)])).toBe("");
    expect(outcomeLines([build, run(1)], true, nameOf)).toEqual(["built: web-9", "live on: web-1"]);
  });
});

describe("the table of servers at a terminal", () => {
  const grid = (runs: readonly DeploymentRun[], columns: number, rows: number) =>
    runGrid(runs, nameOf, { style, now: NOW, size: { columns, rows } });

  it("shows the state, the stage and the time of each", () => {
    expect(grid([run(1), run(2, { status: "running", stage: "build" })], 30, 24)).toEqual([
      "web-1  live",
      "web-2  building: build 41 s",
    ]);
  });

  it("has several columns, which are read downwards", () => {
    expect(grid([run(1), run(2), run(3)], 80, 24)).toEqual(["web-1  live   web-2  live   web-3  live"]);
    expect(grid([run(1), run(2), run(3)], 30, 24)).toEqual(["web-1  live   web-3  live", "web-2  live"]);
  });

  it("takes at most half of the terminal for 20 servers, and no line wraps", () => {
    const building = Array.from({ length: 20 }, (_, at) =>
      run(at + 1, { status: "running", stage: "install", started_at: "2026-11-20T08:57:00.000Z" }),
    );
    for (const [columns, rows] of [
      [80, 24],
      [200, 50],
      [40, 10],
      [10, 5],
    ] as const) {
      const lines = grid(building, columns, rows);
      expect(lines.length).toBeLessThanOrEqual(Math.max(3, rows / 2));
      expect(Math.max(...lines.map(lengthOf))).toBeLessThan(columns);
    }
    expect(grid(building, 80, 24).join(" ")).toContain("web-20");
  });

  it("shows servers that need attention if not all fit, and says how many are left out", () => {
    const runs = Array.from({ length: 30 }, (_, at) => run(at + 1, at === 28 ? { status: "failed" } : {}));
    const lines = grid(runs, 20, 10);
    expect(lines).toHaveLength(4);
    expect(lines.join("\n")).toContain("web-29  failed");
    expect(lines.at(-1)).toBe("and 27 more");
  });
});

describe("the lines of a log of several servers", () => {
  it("begin with the name of their server, in a column", () => {
    const prefixOf = serverPrefixes({ form: "plain", style }, [run(1).server_id, run(10).server_id], nameOf);
    expect(prefixOf({ server_id: run(1).server_id })).toBe("web-1   ");
    expect(prefixOf({ server_id: run(10).server_id })).toBe("web-10  ");
    expect(prefixOf({})).toBe("        ");
  });

  it("give each server a colour at a terminal", () => {
    const ids = [run(1).server_id, run(2).server_id];
    const prefixOf = serverPrefixes({ form: "terminal", style: createStyle(true) }, ids, nameOf);
    const [one, two] = ids.map((id) => prefixOf({ server_id: id }));
    expect(stripVTControlCharacters(`${one}${two}`)).toBe("web-1  web-2  ");
    expect(one?.slice(0, 5)).not.toBe(two?.slice(0, 5));
  });
});

describe("the target of a rollback", () => {
  it("says which servers still have its files", () => {
    const on = (...kept: boolean[]) =>
      kept.map((one, at) => ({ id: run(at + 1).server_id, release_kept: one }));
    expect(keptFilesText({ instant: true, servers: [] }, nameOf)).toBe("its files are still on the server");
    expect(keptFilesText({ instant: true, servers: on(true, true) }, nameOf)).toBe(
      "its files are still on all servers",
    );
    expect(keptFilesText({ instant: false, servers: on(true, false, true) }, nameOf)).toBe(
      "its files are still on web-1, web-3, and it will be built again on web-2",
    );
    expect(keptFilesText({ instant: false, servers: on(false, false) }, nameOf)).toBe(
      "it will be built again",
    );
    expect(keptFilesText({ instant: false, servers: [] }, nameOf)).toBe("it will be built again");
  });
});
