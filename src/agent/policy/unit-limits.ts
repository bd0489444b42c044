import { totalmem } from "node:os";

import type { UnitLimits } from "#agent/isolation/run-isolated.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { Limits } from "#contract/endpoints/projects/settings.ts";

const MIB = 1024 * 1024;
/** The part of the server's memory that a build may use if nothing else is set. The rest is for live apps. */
const BUILD_SHARE = 0.75;
const DEFAULT_TASKS = 4096;
/** systemd's default weight is 100. A build gets less while others need the CPU. */
const BUILD_CPU_WEIGHT = 50;
const COMMAND_CPU_WEIGHT = 100;

/**
 * The limits of a unit: the project's, or the default of the unit's kind, up to the policy's. Apps have no memory limit
 * by default: only their owner knows their need. An app gets its process's limits.
 */
export function unitLimits(
  kind: "build" | "command" | "app",
  project: Limits,
  policy: Pick<Policy, "limits">,
  serverBytes = totalmem(),
): UnitLimits {
  const max = policy.limits;
  const buildMemory = Math.floor((serverBytes * BUILD_SHARE) / MIB);
  const memory = project.memory_mb ?? (kind === "build" ? buildMemory : Infinity);
  const weight = project.cpu_weight ?? (kind === "build" ? BUILD_CPU_WEIGHT : COMMAND_CPU_WEIGHT);
  const memoryMb = Math.min(memory, max.memory_mb_max ?? Infinity);
  return {
    memoryMb: memoryMb === Infinity ? null : memoryMb,
    cpuWeight: Math.min(weight, max.cpu_weight_max ?? weight),
    tasks: Math.min(project.tasks ?? DEFAULT_TASKS, max.tasks_max ?? Infinity),
  };
}
