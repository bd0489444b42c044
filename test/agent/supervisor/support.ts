import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect } from "vitest";

import { createProcessSupervisor, endSupervisor } from "#agent/apps/process-supervisor.ts";
import type { InstanceSpec, SupervisedInstance, Supervisor } from "#agent/apps/supervisor.ts";
import type { SupervisorOptions } from "#agent/apps/supervisor-connection.ts";
import { instanceLog } from "#agent/workspace/instance-logs.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { initialProcess, supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import type { ProjectId } from "#contract/ids.ts";
import { attempt } from "#node/attempt.ts";

import { bundleAgent } from "../support/agent-bundle.ts";
import { ids } from "../support/harness.ts";

/** A home with a supervisor process of its own. */
export type SupervisedHome = {
  readonly home: string;
  readonly project: ProjectId;
  readonly options: SupervisorOptions;
  /** The supervisor as a new agent sees it. */
  connect(): Supervisor;
  spec(name: string, script: string, change?: Partial<InstanceSpec>): InstanceSpec;
  /** What an instance has printed, line by line. */
  linesOf(name: string): readonly string[];
  /** The pid of the supervisor's process. */
  pid(): number;
  close(): Promise<void>;
};

/** @param folder a home with this path; a new folder by default */
export async function superviseHome(folder?: string): Promise<SupervisedHome> {
  const home = folder ?? (await mkdtemp(join(tmpdir(), "gantry-supervisor-")));
  const project = ids.project();
  const options = { home, program: bundleAgent(), environment: process.env };
  const read = (path: string): string => attempt(() => readFileSync(path, "utf8"), "");
  return {
    home,
    project,
    options,
    connect: () => createProcessSupervisor(options),
    spec: (name, script, change = {}) => ({
      project,
      name,
      release: 1,
      command: { argv: ["/bin/sh", "-c", script], cwd: home, env: { PATH: process.env["PATH"] ?? "" } },
      limits: { memoryMb: null, cpuWeight: 100, tasks: 512 },
      ...supervisedOf(initialProcess),
      ...change,
    }),
    linesOf: (name) =>
      read(instanceLog(projectFolder(home, project), name))
        .split("\n")
        .filter((line) => line !== ""),
    pid() {
      const lock: unknown = JSON.parse(read(join(home, "supervisor.lock")));
      if (typeof lock !== "object" || lock === null || !("pid" in lock)) throw new Error("no supervisor");
      return Number(lock.pid);
    },
    async close() {
      expect(await endSupervisor(options)).toEqual({ ok: true, value: null });
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The instances of a home, by name. */
export async function instancesOf(supervisor: Supervisor): Promise<ReadonlyMap<string, SupervisedInstance>> {
  const list = await supervisor.list(null);
  if (!list.ok) throw new Error(list.reason);
  return new Map(list.value.map((each) => [each.name, each]));
}
