import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { createAppRegistry } from "#agent/apps/app-registry.ts";
import { chooseSupervisor } from "#agent/apps/choose-supervisor.ts";
import { noIsolation } from "#agent/isolation/isolation.ts";
import { noSites } from "#agent/sites/sites-client.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { reportProject } from "#agent/report/project-report.ts";
import { MAX_REPORTED_RELEASES, ProjectReport } from "#contract/agent-protocol.ts";
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
});
