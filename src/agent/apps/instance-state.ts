import type { SupervisedInstance } from "#agent/apps/supervisor.ts";
import type { InstanceState } from "#contract/endpoints/processes/schemas.ts";

/** The agent's own knowledge of an instance, in addition to its supervisor's. */
type Known = {
  /** `desired.json` names the instance. */
  readonly isDesired: boolean;
  /** A run keeps or starts the instance. */
  readonly isClaimed: boolean;
  readonly isCrashLooping: boolean;
};

/** The state of an instance for a report. An instance that nothing needs is about to end, like a draining instance. */
export function instanceState(
  { state }: Pick<SupervisedInstance, "state">,
  { isDesired, isClaimed, isCrashLooping }: Known,
): InstanceState {
  if (state === "stopping" || !(isDesired || isClaimed)) return "draining";
  // A run notices by itself that an instance which it starts keeps ending.
  if (isCrashLooping && isDesired) return "crash_looping";
  if (state === "restarting") return "restarting";
  return isDesired ? "live" : "starting";
}

const MIN_SAMPLE_MS = 250;

/** The CPU time of an instance at a moment. `startedAt`: its last start. */
export type CpuSample = { readonly at: number; readonly cpuMs: number; readonly startedAt: number };

/**
 * The CPU time in percent of one core, since the previous report, or since the instance was last started.
 * @returns the percentage, and the sample for the next report; `null` if it cannot be known
 */
export function cpuPercent(
  before: CpuSample | null,
  { cpuMs, startedAt }: Pick<SupervisedInstance, "cpuMs" | "startedAt">,
  at: number,
): { readonly percent: number | null; readonly sample: CpuSample | null } {
  if (cpuMs === null || startedAt === null) return { percent: null, sample: null };
  const sample = { at, cpuMs, startedAt };
  const isSameStart = before?.startedAt === startedAt && before.cpuMs <= cpuMs;
  const from = isSameStart ? before : { at: startedAt, cpuMs: 0 };
  const ms = at - from.at;
  // Two reports at once, or a clock that was set back: then the next one counts from here.
  if (ms < MIN_SAMPLE_MS) return { percent: null, sample: isSameStart && ms >= 0 ? before : sample };
  return { percent: Math.round(((cpuMs - from.cpuMs) / ms) * 1000) / 10, sample };
}
