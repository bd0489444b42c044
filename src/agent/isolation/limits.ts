import { totalmem } from "node:os";

import type { UnitLimits } from "#agent/isolation/run-isolated.ts";

/** The part of the server's memory that a build may use if nothing else is set. The rest is for what is live. */
const BUILD_SHARE = 0.75;
const DEFAULT_TASKS = 4096;
/** systemd's default weight is 100. A build gets less while others need the CPU. */
const BUILD_CPU_WEIGHT = 50;
const COMMAND_CPU_WEIGHT = 100;

export function buildLimits(): UnitLimits {
  const memoryMb = Math.floor((totalmem() * BUILD_SHARE) / (1024 * 1024));
  return { memoryMb, cpuWeight: BUILD_CPU_WEIGHT, tasks: DEFAULT_TASKS };
}

/** Apps of activate commands have no memory limit unless one is set, because they had none before. */
export function commandLimits(): UnitLimits {
  return { memoryMb: null, cpuWeight: COMMAND_CPU_WEIGHT, tasks: DEFAULT_TASKS };
}
