import type { ProcessesState, ProcessReport } from "#contract/endpoints/processes/schemas.ts";

/** The worst state of a project's instances; null if its server reported no processes. */
export function processesState(reported: readonly ProcessReport[] | null): ProcessesState | null {
  if (reported === null || reported.length === 0) return null;
  const states = reported.flatMap(({ instances }) => instances.map(({ state }) => state));
  if (states.includes("crash_looping")) return "crash_looping";
  return states.includes("restarting") ? "restarting" : "running";
}
