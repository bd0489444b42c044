import { spawn } from "node:child_process";
import { once } from "node:events";

import { describe, expect, it } from "vitest";

import { pause } from "#contract/lib/pause.ts";
import { killProcessesOfRun, processesOfRun, RUN_MARKER } from "#build/process/process-table.ts";

/** The kernel hides the environment of a process for a moment while it starts a program. */
const ROUNDS = 60;

describe("the processes that a build leaves behind", () => {
  it("are found while they start a program", async () => {
    const left: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const runId = `left-processes-${process.pid}-${round}`;
      const start = "setsid sleep 77 > /dev/null 2>&1 < /dev/null &";
      const build = spawn("sh", ["-c", start.repeat(8)], { env: { ...process.env, [RUN_MARKER]: runId } });
      await once(build, "exit");
      await killProcessesOfRun(runId);
      await pause(10);
      left.push(...processesOfRun(runId));
      await killProcessesOfRun(runId);
    }
    expect(left).toEqual([]);
  });
});
