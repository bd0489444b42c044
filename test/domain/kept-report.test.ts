import { expect, it } from "vitest";

import { ProjectReport } from "#contract/agent-protocol.ts";
import { MAX_INSTANCES } from "#contract/endpoints/processes/process-settings.ts";
import { MAX_PROCESSES } from "#contract/endpoints/processes/schemas.ts";
import { keptReport } from "#domain/kept-report.ts";
import { PROJECT } from "../support/lane.ts";

const instance = (state: "live" | "crash_looping", output: string | null, number = 0) => ({
  name: `web-1-${number}`,
  state,
  started_at: null,
  restarts: 3,
  memory_bytes: 1000,
  cpu_percent: 50,
  last_exit: "ended with exit code 1",
  last_output: output,
});

const reportOf = (instances: readonly ReturnType<typeof instance>[], count = 1): ProjectReport => ({
  project_id: PROJECT,
  release: 1,
  releases: [1],
  url: null,
  processes: Array.from({ length: count }, (_, at) => ({
    name: `web${at}`,
    command: "node server.js",
    port: true,
    wanted: 1,
    stopped: false,
    instances: [...instances],
  })),
});

it("keeps of a report what changes rarely, and the output of what does not run", () => {
  const kept = keptReport(
    reportOf([instance("live", "listening"), instance("crash_looping", "no database", 1)]),
  );
  expect(kept.processes?.[0]?.instances).toMatchObject([
    { state: "live", restarts: 3, memory_bytes: null, cpu_percent: null, last_output: null },
    { state: "crash_looping", memory_bytes: null, last_output: "no database" },
  ]);
});

it("keeps the report of a project without processes as it is", () => {
  const report: ProjectReport = { project_id: PROJECT, release: null, releases: [], url: null };
  expect(keptReport(report)).toBe(report);
});

it("fits into a row of D1, however much an agent sends", () => {
  const most = Array.from({ length: 4 * MAX_INSTANCES }, (_, at) =>
    instance("crash_looping", "\u{1f600}".repeat(2048), at),
  );
  const kept = keptReport(ProjectReport.parse(reportOf(most, MAX_PROCESSES)));
  const text = JSON.stringify(kept);
  expect(new TextEncoder().encode(text).length).toBeLessThan(500_000);
  expect(ProjectReport.parse(JSON.parse(text))).toEqual(kept);
});
