import { statfs } from "node:fs/promises";

import { type Command, hasSucceeded, type ProcessEnd } from "#build/process/command.ts";
import { createLineOutput } from "#build/process/line-output.ts";
import type { FollowOptions } from "#build/process/follow-file.ts";
import { createOutputFiles } from "#build/process/output-files.ts";
import { TextTail } from "#build/process/text-tail.ts";
import { type OutputChannel, type OutputSink, runProcess } from "#build/process/run-process.ts";
import { runIsolated, type Unit } from "#agent/isolation/run-isolated.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { failureHint } from "#agent/run/step/failure-hint.ts";
import type { CommandScope } from "#agent/run/step/run-scope.ts";
import type { StageLimit } from "#agent/run/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/run/step/step.ts";
import { type FailureEvidence, MAX_STDERR_TAIL } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { succeed } from "#contract/lib/result.ts";

export type CommandEnd = {
  readonly end: ProcessEnd;
  /** The standard output, if it was captured. */
  readonly stdout: string;
  /** The last lines of standard error, masked. */
  readonly stderrTail: string;
  /** The last lines of standard output and standard error in the order in which they came, masked. */
  readonly outputTail: string;
};

export type CommandOptions = {
  readonly stage: LogStage;
  readonly signal: AbortSignal;
  /**
   * Whether background processes are killed afterwards, or may continue; `keepAs` names the files that they write to.
   */
  readonly leftovers: "kill" | { readonly keepAs: string };
  /** `capture`: standard output is read by the agent and not written to the log. */
  readonly stdout: "log" | "capture";
  /** Keeps standard error out of the log, but not out of `stderrTail`. */
  readonly isQuiet?: boolean;
  /** Where the command runs if projects are isolated. Without it, it always runs as the agent's user, as git does. */
  readonly unit?: Pick<Unit, "kind" | "version" | "number" | "limits">;
};

const MAX_CAPTURED_BYTES = 64 * 1024 * 1024;

/** Runs one command. Its output goes to the deployment's log, its process group into the journal. */
export async function runCommand(
  scope: CommandScope,
  command: Command,
  options: CommandOptions,
): Promise<CommandEnd> {
  const { settings } = scope.context;
  const stderrTail = new TextTail(MAX_STDERR_TAIL);
  const outputTail = new TextTail(MAX_STDERR_TAIL);
  const output = createLineOutput(
    {
      line(stream, text) {
        if (options.isQuiet !== true) scope.log.line(stream, options.stage, text);
        // Masked line by line, because a secret that is cut in two would not be recognized.
        const masked = `${scope.mask(text)}\n`;
        outputTail.add(masked);
        if (stream === "stderr") stderrTail.add(masked);
      },
      room: scope.room,
      mask: scope.mask,
    },
    settings.partialLineMs,
  );
  const captured: Buffer[] = [];
  let capturedBytes = 0;
  const capture = (chunk: Buffer): null => {
    capturedBytes += chunk.length;
    if (capturedBytes <= MAX_CAPTURED_BYTES) captured.push(chunk);
    return null;
  };
  // Once the log is full, output is read and dropped, except the end of each chunk of standard error.
  const stdout = (chunk: Buffer) => (scope.log.isFull ? null : output.sink.stdout(chunk));
  const stderr = (chunk: Buffer) =>
    output.sink.stderr(scope.log.isFull ? chunk.subarray(-2 * MAX_STDERR_TAIL) : chunk);
  const sink: OutputSink = { stdout: options.stdout === "log" ? stdout : capture, stderr };
  const end = await runAsItsUser(scope, command, options, sink);
  output.end();
  return {
    end,
    stdout: Buffer.concat(captured).toString("utf8"),
    stderrTail: stderrTail.text,
    outputTail: outputTail.text,
  };
}

/** Runs a command of the project as the project's user, if the server has one, and other commands as the agent's. */
async function runAsItsUser(
  scope: CommandScope,
  command: Command,
  options: CommandOptions,
  output: OutputSink,
): Promise<ProcessEnd> {
  const { settings, isolation } = scope.context;
  const { leftovers, unit } = options;
  if (unit !== undefined && isolation.kind === "projects")
    return runIsolated(command, {
      users: isolation,
      unit: { ...unit, project: scope.folder.id, marker: scope.marker },
      output,
      outputFolder: scope.folder.output,
      follow: followOptions(scope, options.stage),
      signal: options.signal,
      outputGraceMs: settings.outputGraceMs,
    });
  const channel = leftovers === "kill" ? pipes : openFiles(scope, leftovers.keepAs, options.stage);
  const { end, mayWrite } = await runProcess(command, {
    output,
    channel,
    ledger: scope.ledger,
    signal: options.signal,
    leftovers: leftovers === "kill" ? "kill" : "keep",
    stopGraceMs: settings.stopGraceMs,
    outputGraceMs: settings.outputGraceMs,
  });
  if (channel.kind !== "files") return end;
  // The log has everything in the files. They stay only for processes that still write to them.
  if (mayWrite) channel.files.close();
  else channel.files.remove();
  return end;
}

const pipes: OutputChannel = { kind: "pipes" };

function followOptions({ context, log }: CommandScope, stage: LogStage): FollowOptions {
  const { pollOutputMs, maxOutputFileBytes } = context.settings;
  return {
    pollMs: pollOutputMs,
    maxBytes: maxOutputFileBytes,
    onDropped: (bytes) => log.system(stage, `${bytes} bytes of output are missing`),
  };
}

function openFiles(scope: CommandScope, name: string, stage: LogStage): OutputChannel {
  const { folder, log } = scope;
  try {
    return {
      kind: "files",
      files: createOutputFiles(folder.output, name),
      follow: followOptions(scope, stage),
    };
  } catch (error) {
    // A pipe is no alternative: processes that the command leaves running must not end with the agent.
    log.system(stage, `the command's output cannot be stored: ${messageOf(error)}`);
    return { kind: "none" };
  }
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
        : `was killed, because it used more memory than its limit of ${end.limitMb} MB`;
    case "stopped":
      return "was stopped";
    case "not_started":
      return `could not be started: ${end.message}`;
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

/** Turns the end of a command of the project into a step's result. */
export async function stepAfterCommand(
  { context }: CommandScope,
  stage: "install" | "build" | "activate",
  ran: CommandEnd,
  limit: StageLimit,
): Promise<Step<null>> {
  if (hasSucceeded(ran.end)) return succeed(null);
  if (ran.end.kind === "stopped") {
    if (!limit.hasTimedOut) return interrupted;
    const message = `the ${stage} command took longer than ${limit.seconds} seconds`;
    return fail("timed_out", stage, message, evidenceOf(ran));
  }
  const message = `the ${stage} command ${describeEnd(ran.end)}`;
  return (await isDiskFull(context.home, ran.stderrTail))
    ? fail("disk_full", stage, `the disk is full: ${message}`, evidenceOf(ran))
    : fail(`${stage}_failed`, stage, message, evidenceOf(ran), failureHint(ran.outputTail));
}

const LEAST_FREE_BYTES = 1024 * 1024;

/**
 * Whether a command failed because the disk is full. There is no exit code for that, and the space may be free again
 * at once. So the operating system's messages for ENOSPC and EDQUOT count too.
 */
export async function isDiskFull(home: string, stderrTail: string): Promise<boolean> {
  if (/No space left on device|Disk quota exceeded/.test(stderrTail)) return true;
  const disk = await statfs(home);
  return disk.bavail * disk.bsize < LEAST_FREE_BYTES;
}
