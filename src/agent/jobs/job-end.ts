import { AGENT_ENDED } from "#agent/jobs/end-left-jobs.ts";
import type { ProcessEnd } from "#build/process/command.ts";
import { describeEnd } from "#build/failure/command-failure.ts";
import type { CommandState } from "#contract/endpoints/commands/schemas.ts";

/** Why the agent stopped a job: on request, at its time limit, or because the agent or the project ends. */
export type StopReason = "stopped" | "timed_out" | "lost";

/** What a note says about the end of a job. */
export type JobEnd = {
  readonly status: CommandState["status"] | "skipped";
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly message: string | null;
  readonly finished_at: string | null;
};

/** How a job ended. @param reason `null` when nobody stopped it */
export function jobEnd(
  end: ProcessEnd,
  reason: StopReason | null,
  finished_at: string,
): Pick<CommandState, keyof JobEnd> {
  const message = describeEnd(end).slice(0, 1000).toWellFormed();
  const ended = { exit_code: null, signal: null, message, finished_at };
  switch (end.kind) {
    case "exited":
      return { ...ended, status: "exited", exit_code: end.code };
    case "killed":
      return { ...ended, status: "killed", signal: end.signal };
    case "out_of_memory":
      return { ...ended, status: "killed", signal: "SIGKILL" };
    case "not_started":
    case "lost":
      return { ...ended, status: end.kind };
    case "stopped":
      return { ...ended, status: reason ?? "stopped", message: stopMessages[reason ?? "stopped"] };
  }
}

const stopMessages: Readonly<Record<StopReason, string>> = {
  stopped: "was stopped",
  timed_out: "was stopped at its time limit",
  lost: AGENT_ENDED,
};
