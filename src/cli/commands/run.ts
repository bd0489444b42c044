import { constants } from "node:os";

import type { Failed } from "#client/answer.ts";
import { followParts } from "#client/follow-parts.ts";
import type { CommandOutput, CommandRun } from "#contract/endpoints/commands/schemas.ts";
import type { CommandId, ProjectId } from "#contract/ids.ts";
import { shellQuote } from "#node/shell-quote.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { exitCodes, exitOf } from "#cli/exit-codes.ts";
import { type Outcome, stop } from "#cli/outcome.ts";
import { printableInColour } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
import { openSession, type Session, withSession } from "#cli/session/session.ts";

/** Added to the exit code of Gantry's own problems, because the lower ones are the command's. */
const OWN = 100;
/** Source: timeout(1). */
const TIMED_OUT = 124;
/** Source: the shell's convention, 128 plus the number of the signal. */
const KILLED = 128;
const WAIT_SECONDS = 20;

export const runCommand = defineCommand({
  name: "run",
  summary: "Run a command in the live release",
  details: [
    "Runs the command on the project's server, with the variables of the live deployment, and prints its output. Several words are passed as they are; a single word is a line for the shell. The server's policy must allow it, and the token needs the scope commands:run.",
    "Ctrl-C stops the command on the server. If the connection is lost, the command continues, and its output is read again from where it ended.",
    "The exit code is that of the command. 124: it was stopped at its time limit. 128 and more: a signal ended it. 101 to 105: a problem of Gantry, with 100 added to its usual exit code.",
  ],
  words: { command: { isRequired: true, isList: true, help: "Command and its arguments, after --" } },
  options: {
    timeout: { kind: "text", value: "SECONDS", help: "Stop the command after this time (default: 3600)" },
  },
  examples: [
    "run -- npm run migrate",
    "run --project shop -- bin/rails db:migrate",
    "run --timeout=600 -- node scripts/import.js",
  ],
  run: async (context, given) => {
    const outcome = await withSession(runInSession)(context, given);
    if (outcome.ok || (context.signal.aborted && outcome.problem.code === "unreachable")) return outcome;
    const code = OWN + exitCodes[exitOf(outcome.problem)].code;
    context.output.problem(outcome.problem, code);
    return { ok: true, exit: code };
  },
});

type Given = {
  readonly words: { readonly command: readonly string[] };
  readonly options: { readonly timeout: string | null };
};

async function runInSession(session: Session, { words, options }: Given): Promise<Outcome> {
  const seconds = options.timeout === null ? undefined : Number(options.timeout);
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400))
    return stop("usage", "--timeout must be a whole number of seconds, at most 86400.");
  const project = await findProject(session);
  if (!project.ok) return project;
  const { id: project_id } = project.value;
  const [only = "", ...others] = words.command;
  const command = others.length === 0 ? only : words.command.map(shellQuote).join(" ");
  const body = { command, ...(seconds === undefined ? {} : { timeout_seconds: seconds }) };
  // Requests of the session end with Ctrl-C, but after these the command would run without anybody who knows it.
  const { url, token, linkedProject, linkedName } = session;
  const never = new AbortController().signal;
  const patient = openSession({ ...session, signal: never }, { url, token, linkedProject, linkedName });
  if (!patient.ok) return patient;
  const started = await patient.value.client.runCommand({ params: { project_id }, body });
  if (!started.ok) return started;
  return await follow(session, patient.value, { project_id, command_id: started.value.id });
}

type Params = { readonly project_id: ProjectId; readonly command_id: CommandId };

/**
 * Prints the output of a command until it ends. Ctrl-C stops it.
 * @param patient the same session, whose requests do not end with Ctrl-C
 */
async function follow(session: Session, patient: Session, params: Params): Promise<Outcome> {
  const printed = await printOutput(session, params, 0);
  if (printed.kind === "ended") return printed.outcome;
  session.output.note("Stopping the command on the server.");
  const stopped = await patient.client.stopCommand({ params, body: {} });
  if (!stopped.ok) return mayRun(session, stopped);
  // A person who presses Ctrl-C does not wait for a lost connection.
  const rest = await printOutput({ ...patient, reconnectForMs: 0 }, params, printed.offset);
  return rest.kind === "ended" ? rest.outcome : { ok: true, exit: "interrupted" };
}

/** How the printing ended. `interrupted`: the session's signal ended it; `offset`: where the output continues. */
type Printed =
  | { readonly kind: "ended"; readonly outcome: Outcome }
  | { readonly kind: "interrupted"; readonly offset: number };

/** Prints the output of a command from an offset to its end. */
async function printOutput(session: Session, params: Params, offset: number): Promise<Printed> {
  const { client, output, signal, reconnectForMs } = session;
  let next = offset;
  let lostAt: number | null = null;
  const parts = followParts((query) => client.getCommandOutput({ params, query }), {
    ...{ offset, waitSeconds: WAIT_SECONDS, signal },
  });
  for await (const event of parts) {
    if (event.type === "part") {
      lostAt = null;
      next = event.part.next_offset;
      printLines(session, event.part);
      if (!event.part.complete) continue;
      output.json({ type: "end", command: event.part.command });
      return { kind: "ended", outcome: { ok: true, exit: exitCodeOf(session, event.part.command) } };
    }
    const { problem } = event;
    if (lostAt === null && event.type === "waiting") output.note(`${problem.detail} Trying again.`);
    lostAt ??= performance.now();
    if (event.type === "problem" || performance.now() - lostAt >= reconnectForMs)
      return { kind: "ended", outcome: mayRun(session, { ok: false, problem }) };
  }
  return { kind: "interrupted", offset: next };
}

function printLines({ output, stderr }: Session, { lines }: CommandOutput): void {
  for (const line of lines) {
    output.json({ type: "line", ...line });
    // A pipe or a file gets what the command printed.
    if (line.stream === "stdout")
      output.line(output.form === "terminal" ? printableInColour(line.message) : line.message);
    else if (line.stream === "system") output.note(line.message);
    else if (output.form !== "json")
      stderr.write(`${stderr.isTTY ? printableInColour(line.message) : line.message}\n`);
  }
}

/** Says that nobody knows how the command ends. */
function mayRun(session: Session, failed: Failed): Failed {
  session.output.note("The command may still run on the server.");
  return failed;
}

function exitCodeOf({ output }: Session, { status, exit_code, signal, message }: CommandRun): number {
  switch (status) {
    case "exited":
      return exit_code ?? OWN + 1;
    case "killed":
      output.note(`The command ${message}.`);
      return KILLED + signalNumber(signal);
    case "timed_out":
      output.note(`The command ${message}.`);
      return TIMED_OUT;
    case "stopped":
      return exitCodes.interrupted.code;
    case "lost":
    case "not_started":
    case "running":
      output.note(`The command ${message ?? "has ended"}.`);
      return OWN + exitCodes.failed.code;
  }
}

function signalNumber(signal: string | null): number {
  const found = Object.entries(constants.signals).find(([name]) => name === signal);
  return found?.[1] ?? constants.signals.SIGKILL;
}
