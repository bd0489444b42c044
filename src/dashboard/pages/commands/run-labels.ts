import type { CommandRow } from "#contract/endpoints/commands/schemas.ts";
import type { CronRunStatus, CronTrigger } from "#contract/endpoints/cron/schemas.ts";

/** The state of a one-off command, or of a run of a cron job. `status`: null if it is not known. */
export type RunState = Pick<CommandRow, "exit_code" | "message" | "started_at" | "finished_at"> & {
  readonly status: CronRunStatus | null;
};

const labels: Record<Exclude<CronRunStatus, "exited">, string> = {
  running: "Running",
  killed: "Killed",
  stopped: "Stopped",
  timed_out: "Time limit reached",
  lost: "Lost",
  not_started: "Not started",
  skipped: "Skipped",
};

/** How it ended, in a few words. */
export function runLabel({ status, exit_code }: RunState): string {
  if (status === null) return "Unknown";
  return status === "exited" ? `Exit code ${exit_code}` : labels[status];
}

/** The class of its state, as of a deployment's status. */
export function runClass({ status, exit_code }: RunState): string {
  if (status === "running") return "building";
  if (status === null || status === "stopped" || status === "skipped") return "canceled";
  return status === "exited" && exit_code === 0 ? "live" : "failed";
}

export const triggerLabels: Record<CronTrigger, string> = {
  schedule: "by its schedule",
  catch_up: "after a downtime",
  manual: "by hand",
};
