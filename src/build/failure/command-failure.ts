import { statfs } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";

import { failureHint, memoryHint } from "#build/failure/failure-hint.ts";
import { type FailurePlace, moduleHint } from "#build/failure/module-hint.ts";
import { makeFailure } from "#build/failure/make-failure.ts";
import type { ProcessEnd } from "#build/process/command.ts";
import { failingLine } from "#contract/first-error.ts";
import type { DeploymentFailure, FailureEvidence } from "#contract/endpoints/deployments/schemas.ts";
import { counted } from "#contract/lib/counted.ts";

/** How a command ended, and the end of its output. */
export type CommandEnd = {
  readonly end: ProcessEnd;
  /** The last lines of standard error, masked. */
  readonly stderrTail: string;
  /** The last lines of standard output and standard error in the order in which they came, masked. */
  readonly outputTail: string;
};

/**
 * The failure of a command of the project that did not succeed and was not stopped.
 * @param home a folder on the disk that the command writes to
 * @param place where the command ran, if its files may say why it failed
 */
export async function commandFailure(
  home: string,
  stage: "install" | "build" | "release" | "activate",
  ran: CommandEnd,
  place: FailurePlace | null,
): Promise<DeploymentFailure> {
  const message = `the ${stage} command ${describeEnd(ran.end)}`;
  const output = plainOutput(ran.outputTail);
  const failure = (await isDiskFull(home, ran.stderrTail))
    ? makeFailure("disk_full", stage, `the disk is full: ${message}`, evidenceOf(ran))
    : makeFailure(
        `${stage}_failed`,
        stage,
        message,
        evidenceOf(ran),
        memoryHint(ran.end) ??
          (place === null ? null : await moduleHint(output, place)) ??
          failureHint(output),
      );
  const line = failingLine(output);
  return line === null ? failure : { ...failure, failing_line: line };
}

/** The lines of an output without colours. A carriage return ends a line too: progress bars use it. */
export function plainOutput(output: string): string {
  return stripVTControlCharacters(output).replaceAll("\r", "\n");
}

const ACTIVATE_MUST_END =
  "An activate command must end. To keep an app running, define it as a process and remove the activate command, or start it in the background with `&`.";

/** The failure of a command that was stopped at the time limit of its stage. */
export function timeoutFailure(
  stage: "install" | "build" | "release" | "activate",
  seconds: number,
  ran: CommandEnd,
): DeploymentFailure {
  return makeFailure(
    "timed_out",
    stage,
    `the ${stage} command took longer than ${counted(seconds, "second")}`,
    evidenceOf(ran),
    stage === "activate" ? ACTIVATE_MUST_END : null,
  );
}

/** Describes the end of a command, to be used within a sentence. */
export function describeEnd(end: ProcessEnd): string {
  switch (end.kind) {
    case "exited":
      return `ended with exit code ${end.code}`;
    case "killed":
      return `was killed by ${end.signal}`;
    case "out_of_memory":
      return end.limitMb === null
        ? "was killed, because the server has no memory left"
        : `was killed, because it used more memory than its limit of ${end.limitMb} MiB`;
    case "stopped":
      return "was stopped";
    case "not_started":
      return `could not be started: ${end.message}`;
    case "lost":
      return `was ended: ${end.message}`;
  }
}

/** The evidence that a failure shows of its command. */
export function evidenceOf({ end, stderrTail }: CommandEnd): FailureEvidence {
  return {
    exit_code: end.kind === "exited" ? end.code : null,
    signal: end.kind === "killed" ? end.signal : end.kind === "out_of_memory" ? "SIGKILL" : null,
    stderr_tail: stderrTail,
  };
}

const LEAST_FREE_BYTES = 1024 * 1024;

/**
 * Whether a command failed because the disk is full. There is no exit code for that, and the space may be free again
 * at once. So the operating system's messages for ENOSPC and EDQUOT count too.
 */
export async function isDiskFull(home: string, stderrTail: string): Promise<boolean> {
  if (/no space left on device|disk quota exceeded/i.test(stderrTail)) return true;
  const disk = await statfs(home);
  return disk.bavail * disk.bsize < LEAST_FREE_BYTES;
}
