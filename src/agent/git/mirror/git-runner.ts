import { errorLine } from "#agent/git/commands/read-git-output.ts";
import type { Command } from "#build/process/command.ts";
import { type CommandEnd, describeEnd, evidenceOf, isDiskFull } from "#build/failure/command-failure.ts";
import { runCommand } from "#agent/step/run-command.ts";
import type { CommandScope } from "#agent/step/run-scope.ts";
import type { StageLimit } from "#agent/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import { succeed } from "#contract/lib/result.ts";
import { counted } from "#contract/lib/counted.ts";

/**
 * How a git command exited. The caller handles codes other than 0; `explain` turns them into failures. The code is -1 if
 * git was killed.
 */
export type GitAnswer = { readonly code: number; readonly stdout: string; readonly ran: CommandEnd };

export type GitRunner = {
  /**
   * Runs a command within the fetch stage's time limit. Fails only when the command was stopped or could not be
   * started. `probe`: a failure is a valid answer, and its error output stays out of the log.
   */
  run(command: Command, manner?: "probe"): Promise<Step<GitAnswer>>;
  /** For long work between commands: a failed step when it must stop, otherwise `null`. */
  ended(): Step<never> | null;
  /**
   * @param what what failed, to be used within a sentence
   * @param advice what a person can do about it, as sentences
   */
  explain(answer: GitAnswer, what: string, advice?: string | null): Promise<Step<never>>;
  /** Logs the error output of a probe, without what only says that the remote sends more than it was asked for. */
  logErrors(answer: GitAnswer): void;
  /** Logs a finished step, with the time since `startedAt` by the monotonic clock. */
  logStep(message: string, startedAt: number): void;
};

/** git prints it once or twice for a remote that cannot leave out trees and files. */
const UNFILTERED = "warning: filtering not recognized by server, ignoring";

export function createGitRunner(scope: CommandScope, limit: StageLimit): GitRunner {
  const stopped = (): Step<never> =>
    limit.hasTimedOut
      ? fail("timed_out", "fetch", `fetching took longer than ${counted(limit.seconds, "second")}`)
      : interrupted;
  return {
    async run(command, manner) {
      const ran = await runCommand(scope, command, {
        stage: "fetch",
        signal: limit.signal,
        leftovers: "kill",
        stdout: "capture",
        isQuiet: manner === "probe",
      });
      switch (ran.end.kind) {
        case "exited":
          return succeed({ code: ran.end.code, stdout: ran.stdout, ran });
        case "killed":
        case "out_of_memory":
          return succeed({ code: -1, stdout: "", ran });
        case "not_started":
        case "lost":
          return fail("fetch_failed", "fetch", `git ${describeEnd(ran.end)}`);
        case "stopped":
          return stopped();
      }
    },
    ended: () => (limit.signal.aborted ? stopped() : null),
    async explain({ ran }, what, advice = null) {
      const isFull = await isDiskFull(scope.context.home, ran.stderrTail);
      const printed = errorLine(ran.stderrTail);
      const line = advice === null || printed === "" ? printed : `${printed.replace(/\.$/, "")}.`;
      return fail(
        isFull ? "disk_full" : "fetch_failed",
        "fetch",
        `${isFull ? "the disk is full: " : ""}${what}: git ${describeEnd(ran.end)}${line === "" ? "" : `: ${line}`}${advice === null ? "" : ` ${advice}`}`,
        evidenceOf(ran),
      );
    },
    logErrors({ ran }) {
      for (const line of ran.stderrTail.split("\n"))
        if (line !== "" && line !== UNFILTERED) scope.log.line("stderr", "fetch", line);
    },
    logStep(message, startedAt) {
      const ms = Math.round(scope.context.clock.monotonic() - startedAt);
      scope.log.system("fetch", `${message} (${ms} ms)`);
    },
  };
}
