import type { InstanceState, ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import { liveCount, processState, type ProcessState } from "#contract/processes/process-state.ts";

export const instanceLabels: Record<InstanceState, string> = {
  starting: "Starting",
  live: "Live",
  draining: "Draining",
  restarting: "Restarting",
  crash_looping: "Crash looping",
};

const processLabels: Record<Exclude<ProcessState, "running" | "missing">, string> = {
  stopped: "Stopped",
  idle: "Scaled to 0",
  starting: "Starting",
  restarting: "Restarting",
  crash_looping: "Crash looping",
};

/** The state of a process in a few words, such as `2 of 3 live`. */
export function processLabel(process: ProcessReport): string {
  const state = processState(process);
  if (state === "running" || state === "missing") return `${liveCount(process)} of ${process.wanted} live`;
  return processLabels[state];
}
