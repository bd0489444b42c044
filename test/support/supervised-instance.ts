import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "vitest";

import { createProcessSupervisor } from "#agent/apps/process-supervisor.ts";
import { ProjectId } from "#contract/ids.ts";

/**
 * Starts an instance of an app under the supervisor of a home, as the home's agent would.
 * @param program the agent's file; null if another program keeps the supervisor running
 * @returns its pid
 */
export async function startInstance(home: string, program: string | null): Promise<number> {
  const started = await createProcessSupervisor({ home, program, environment: process.env }).start({
    project: ProjectId.parse("proj_01m82pzar9e00aqx8xae7t4x70"),
    name: "web-1-0",
    release: 1,
    command: {
      argv: ["/bin/sh", "-c", "trap '' TERM; echo $$ > pid; while true; do sleep 1; done"],
      cwd: home,
      env: { PATH: process.env["PATH"] ?? "" },
    },
    limits: { memoryMb: null, cpuWeight: 100, tasks: 512 },
    stopSignal: "SIGTERM",
    stopSeconds: 1,
  });
  expect(started).toEqual({ ok: true, value: null });
  const file = join(home, "pid");
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+\n$/);
  return Number(readFileSync(file, "utf8"));
}
