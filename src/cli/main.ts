import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

import { readArguments, wantsJson } from "#cli/arguments/read-arguments.ts";
import { commands } from "#cli/commands.ts";
import type { CommandContext } from "#cli/context.ts";
import { type Exit, exitCodes, exitOf } from "#cli/exit-codes.ts";
import { commandHelp, generalHelp } from "#cli/help.ts";
import { type Outcome, stop } from "#cli/outcome.ts";
import { createOutput, type Output } from "#cli/output/output.ts";
import { COMMAND_VERSION } from "#cli/version.ts";
import "#contract/issue-messages.ts";

const { argv, env, stdin, stdout, stderr } = process;

/**
 * How long to wait for one of several addresses before trying the next. Node's default of 250 ms is less than a round
 * trip around the world.
 */
const ADDRESS_MS = 2_500;
setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);

/** Source: the shell's convention, 128 plus the number of SIGPIPE. */
const BROKEN_PIPE = 141;

async function run(output: Output, signal: AbortSignal): Promise<Exit | number> {
  const read = readArguments(argv.slice(2), commands);
  if (!read.ok) {
    output.problem(read.problem);
    return exitOf(read.problem);
  }
  const { command, global, given } = read.value;
  if (global.version) {
    stdout.write(`gantry ${COMMAND_VERSION}\n`);
    return "done";
  }
  if (command === null || global.help) {
    const isRequested = global.help;
    const text = command === null ? generalHelp(commands) : commandHelp(command, commands);
    (isRequested ? stdout : stderr).write(`${text}\n`);
    return isRequested ? "done" : "usage";
  }
  const context: CommandContext = {
    ...{ output, global, commands, stdin, stderr, signal },
    environment: env,
    folder: process.cwd(),
  };
  const outcome = await command.run(context, given);
  output.progress.hide();
  return print(outcome, output, signal);
}

function print(outcome: Outcome, output: Output, signal: AbortSignal): Exit | number {
  if (outcome.ok) return outcome.exit;
  // The error of an aborted request is not the reason why the command ended.
  const isInterrupted = signal.aborted && outcome.problem.code === "unreachable";
  if (!isInterrupted) output.problem(outcome.problem);
  return isInterrupted ? "interrupted" : exitOf(outcome.problem);
}

function end(code: number): void {
  // The callback runs once all earlier writes are flushed or have failed, also if stdout is a pipe.
  stdout.write("", (error) => (error ? endUnwritten(error) : process.exit(code)));
}

/** Ends with an error, because the output is incomplete. Prints nothing if the reader closed the pipe. */
function endUnwritten(error: Error): void {
  if ("code" in error && error.code === "EPIPE") process.exit(BROKEN_PIPE);
  output.progress.hide();
  output.problem(stop("unwritable_file", `The output cannot be written: ${error.message}.`).problem);
  process.exit(exitCodes.usage.code);
}

stderr.on("error", () => undefined);

const interruption = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(name, () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted.code);
    interruption.abort();
  });

const output = createOutput({ stdout, stderr }, wantsJson(argv), env);
stdout.on("error", endUnwritten);
run(output, interruption.signal).then(
  (exit) => end(typeof exit === "number" ? exit : exitCodes[exit].code),
  (error: unknown) => {
    output.progress.hide();
    console.error(error);
    process.exit(exitCodes.failed.code);
  },
);
