import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";

import { readArguments, wantsJson } from "#cli/arguments/read-arguments.ts";
import { commands } from "#cli/commands.ts";
import type { Context } from "#cli/context.ts";
import { type Exit, exitCodes, exitOf } from "#cli/exit-codes.ts";
import { commandHelp, generalHelp } from "#cli/help.ts";
import { type Outcome, stop } from "#cli/outcome.ts";
import { createOutput, type Output } from "#cli/output/output.ts";
import { COMMAND_VERSION } from "#cli/version.ts";

const { argv, env, stdin, stdout, stderr } = process;

/** How long one address of several gets before the next is tried: Node's 250 ms do not reach around the world and back. */
const ADDRESS_MS = 2_500;
setDefaultAutoSelectFamilyAttemptTimeout(ADDRESS_MS);

/** Source: the shell's convention, 128 and the number of SIGPIPE. */
const BROKEN_PIPE = 141;

async function run(output: Output, signal: AbortSignal): Promise<Exit> {
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
    const isAsked = global.help;
    const text = command === null ? generalHelp(commands) : commandHelp(command);
    (isAsked ? stdout : stderr).write(`${text}\n`);
    return isAsked ? "done" : "usage";
  }
  const context: Context = {
    ...{ output, global, commands, stdin, stderr, signal },
    environment: env,
    folder: process.cwd(),
  };
  const outcome = await command.run(context, given);
  output.progress.hide();
  return print(outcome, output, signal);
}

function print(outcome: Outcome, output: Output, signal: AbortSignal): Exit {
  if (outcome.ok) return outcome.exit;
  // What a request says that was given up in the middle is not what went wrong.
  const isGivenUp = signal.aborted && outcome.problem.code === "unreachable";
  if (!isGivenUp) output.problem(outcome.problem);
  return isGivenUp ? "interrupted" : exitOf(outcome.problem);
}

function end(code: number): void {
  // What was written before has gone out by then, whatever stdout is; or it is known that it cannot.
  stdout.write("", (error) => (error ? endUnwritten(error) : process.exit(code)));
}

/** What could not be printed must not look as if it had gone well. Whoever read it may have gone away: no word then. */
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
  (exit) => end(exitCodes[exit].code),
  (error: unknown) => {
    output.progress.hide();
    console.error(error);
    process.exit(exitCodes.failed.code);
  },
);
