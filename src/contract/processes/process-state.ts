import type { InstanceState, ProcessReport } from "#contract/endpoints/processes/schemas.ts";

/** `idle`: none of its instances should run, because it is scaled to 0. `missing`: fewer run than should. */
export type ProcessState =
  | "stopped"
  | "idle"
  | "crash_looping"
  | "restarting"
  | "starting"
  | "missing"
  | "running";

/** The state of a process: the state of its instance that needs attention most. Replaced instances do not count. */
export function processState(process: ProcessReport): ProcessState {
  const { stopped, wanted, instances } = process;
  if (stopped) return "stopped";
  if (wanted === 0) return "idle";
  for (const state of ["crash_looping", "restarting", "starting"] as const)
    if (instances.some((instance) => instance.state === state)) return state;
  return liveCount(process) < wanted ? "missing" : "running";
}

/** Whether an instance with this state ended by itself and has to be started again. */
export function hasFailed(state: InstanceState): boolean {
  return state === "restarting" || state === "crash_looping";
}

/** How many instances of a process are live. */
export function liveCount({ instances }: ProcessReport): number {
  return instances.filter(({ state }) => state === "live").length;
}
