import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "vitest";

import { createProcessSupervisor } from "#agent/apps/process-supervisor.ts";

import { shellInstance } from "./shell-instance.ts";

const PROJECT = "proj_01m82pzar9e00aqx8xae7t4x70";
const LINE = "trap '' TERM; echo $$ > pid; while true; do sleep 1; done";

/**
 * Starts an instance of an app under the supervisor of a home, as the home's agent would.
 * @param program the agent's file; null if another program keeps the supervisor running
 * @returns its pid
 */
export async function startInstance(home: string, program: string | null): Promise<number> {
  const started = await createProcessSupervisor({ home, program, environment: process.env }).start(
    shellInstance(home, PROJECT, LINE),
  );
  expect(started).toEqual({ ok: true, value: null });
  const file = join(home, "pid");
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+\n$/);
  return Number(readFileSync(file, "utf8"));
}
