import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { createAppRegistry } from "#agent/apps/app-registry.ts";
import { chooseSupervisor } from "#agent/apps/choose-supervisor.ts";
import { noIsolation } from "#agent/isolation/isolation.ts";
import { noIngress } from "#agent/ingress/ingress.ts";
import { noSites } from "#agent/sites/sites-client.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { limitReports, reportProject } from "#agent/report/project-report.ts";
import { MAX_LINK_MESSAGE, MAX_REPORTED_RELEASES, ProjectReport } from "#contract/agent-protocol.ts";
import type { InstanceReport } from "#contract/endpoints/processes/schemas.ts";
import { ProjectId } from "#contract/ids.ts";

describe("the agent's report of a project", () => {
  it("names only the newest releases when there are more than the control plane accepts", async () => {
    const home = await mkdtemp(join(tmpdir(), "gantry-report-"));
    onTestFinished(() => rm(home, { recursive: true }));
    const id = ProjectId.parse(`proj_${"0".repeat(26)}`);
    const folder = projectFolder(home, id);
    const most = MAX_REPORTED_RELEASES;
    for (let version = 1; version <= most + 2; version += 1) {
      await mkdir(join(folder.releases, String(version)), { recursive: true });
      await writeFile(join(folder.releases, `${version}.json`), "{}");
    }
    const supervisor = chooseSupervisor(noIsolation, { home, program: "", environment: {} });
    const clock = { now: () => 0, monotonic: () => 0 };
    const context = {
      home,
      sites: noSites,
      ingress: noIngress,
      apps: createAppRegistry(),
      clock,
      supervisor,
      log: () => undefined,
    };
    const report = await reportProject(context, id);
    expect(report.releases).toHaveLength(most);
    expect([report.releases[0], report.releases.at(-1)]).toEqual([3, most + 2]);
    expect(ProjectReport.safeParse(report).success).toBe(true);
    const tooMuch = { ...report, releases: [1, ...report.releases] };
    expect(ProjectReport.safeParse(tooMuch).success).toBe(false);
  });

  it("of many instances leaves out their output, and then the instances, before the message is too long", () => {
    const instance = (name: string): InstanceReport => ({
      ...{ name, state: "live", started_at: null, restarts: 0, memory_bytes: null, cpu_percent: null },
      ...{ last_exit: null, last_output: "x".repeat(4096) },
    });
    const reportOf = (count: number): ProjectReport => ({
      ...{ project_id: ProjectId.parse(`proj_${"0".repeat(26)}`), release: 1, releases: [1], url: null },
      processes: [
        {
          ...{ name: "web", command: "serve", port: true, wanted: 1, stopped: false },
          instances: Array.from({ length: count }, (_, n) => instance(`web-1-${n}`)),
        },
      ],
    });
    const outputsOf = (reports: readonly ProjectReport[]) =>
      reports.flatMap(({ processes }) => processes?.flatMap(({ instances }) => instances) ?? []);
    expect(outputsOf(limitReports([reportOf(2)]))[0]?.last_output).toHaveLength(4096);
    const many = limitReports(Array.from({ length: 100 }, () => reportOf(4)));
    expect(outputsOf(many)).toHaveLength(400);
    expect(outputsOf(many)[0]?.last_output).toBeNull();
    expect(outputsOf(limitReports(Array.from({ length: 1000 }, () => reportOf(48))))).toEqual([]);
    const [long, short] = [reportOf(1), reportOf(1)];
    for (const process of long.processes ?? []) process.command = "x".repeat(8192);
    const limited = limitReports([...Array.from({ length: 200 }, () => long), short]);
    expect(JSON.stringify(limited).length).toBeLessThan(MAX_LINK_MESSAGE / 2);
    expect(limited.at(-1)?.processes).toHaveLength(1);
    expect(
      limited.every((report) => ProjectReport.safeParse(JSON.parse(JSON.stringify(report))).success),
    ).toBe(true);
  });
});
