import type { CommandState, CommandStatus } from "#contract/endpoints/commands/schemas.ts";

const labels: Record<Exclude<CommandStatus, "exited">, string> = {
  running: "Running",
  killed: "Killed",
  stopped: "Stopped",
  timed_out: "Time limit reached",
  lost: "Lost",
  not_started: "Not started",
};

/** How a command ended, in a few words. `status`: null if it is not known. */
export function commandLabel({
  status,
  exit_code,
}: Pick<CommandState, "exit_code"> & { readonly status: CommandStatus | null }): string {
  if (status === null) return "Unknown";
  return status === "exited" ? `Exit code ${exit_code}` : labels[status];
}

/** The class of a command's status, as of a deployment's. */
export function commandClass({
  status,
  exit_code,
}: Pick<CommandState, "exit_code"> & { readonly status: CommandStatus | null }): string {
  if (status === "running") return "building";
  if (status === null || status === "stopped") return "canceled";
  return status === "exited" && exit_code === 0 ? "live" : "failed";
}
