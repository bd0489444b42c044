import { type Command, hasSucceeded, type ProcessEnd } from "#build/process/command.ts";
import { createTailedOutput } from "#build/process/tailed-output.ts";
import type { FollowOptions } from "#build/process/follow-file.ts";
import { createOutputFiles } from "#build/process/output-files.ts";
import { type OutputChannel, type OutputSink, runProcess } from "#build/process/run-process.ts";
import { runIsolated, type Unit } from "#agent/isolation/run-isolated.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { type CommandEnd, commandFailure, timeoutFailure } from "#build/failure/command-failure.ts";
import type { FailurePlace } from "#build/failure/module-hint.ts";
import type { CommandScope } from "#agent/step/run-scope.ts";
import { optimizeHotCode } from "#agent/lib/optimize-hot-code.ts";
import type { StageLimit } from "#agent/step/stage-limit.ts";
import { failWith, interrupted, type Step } from "#agent/step/step.ts";
import { MAX_STDERR_TAIL } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import { succeed } from "#contract/lib/result.ts";

/** `stdout`: the standard output, if it was captured. */
export type CapturedEnd = CommandEnd & { readonly stdout: string };

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
): Promise<CapturedEnd> {
  const { settings } = scope.context;
  if (options.stdout === "log") optimizeHotCode();
  const output = createTailedOutput(
    {
      line(stream, text) {
        if (options.isQuiet !== true) scope.log.line(stream, options.stage, text);
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
    stderrTail: output.stderrTail,
    outputTail: output.outputTail,
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

/** Turns the end of a command of the project into a step's result. @param place where it ran, if it is a build */
export async function stepAfterCommand(
  { context }: CommandScope,
  stage: "install" | "build" | "release" | "activate",
  ran: CommandEnd,
  limit: StageLimit,
  place: FailurePlace | null = null,
): Promise<Step<null>> {
  if (hasSucceeded(ran.end)) return succeed(null);
  if (ran.end.kind === "stopped") {
    if (!limit.hasTimedOut) return interrupted;
    return failWith(timeoutFailure(stage, limit.seconds, ran));
  }
  return failWith(await commandFailure(context.home, stage, ran, place));
}
