import { constants } from "node:os";

import type { Failed } from "#client/answer.ts";
import { followParts } from "#client/follow-parts.ts";
import type { ClientResult } from "#client/send.ts";
import type { CommandOutputLine } from "#contract/endpoints/commands/schemas.ts";
import type { CronRun } from "#contract/endpoints/cron/schemas.ts";
import { exitCodes, exitOf } from "#cli/exit-codes.ts";
import type { Outcome, Result } from "#cli/outcome.ts";
import { printableInColour } from "#cli/output/printable.ts";
import { openSession, type Session } from "#cli/session/session.ts";
import type { CommandContext } from "#cli/context.ts";

/** Added to the exit code of Gantry's own problems, because the lower ones are the command's. */
const OWN = 100;
/** Source: timeout(1). */
const TIMED_OUT = 124;
/** Source: the shell's convention, 128 plus the number of the signal. */
const KILLED = 128;
const WAIT_SECONDS = 20;

/** A part of the output of something that runs to its end on a server. */
type Part = {
  readonly lines: readonly CommandOutputLine[];
  readonly next_offset: number;
  readonly complete: boolean;
};
type End = Pick<CronRun, "status" | "exit_code" | "signal" | "message">;

/** A one-off command or a run of a cron job. `name`: in messages. */
export type FollowedRun<Of extends Part> = {
  readonly name: "command" | "job";
  readonly read: (
    client: Session["client"],
    query: { offset: number; wait_seconds: number },
  ) => Promise<ClientResult<Of>>;
  readonly stop: (client: Session["client"]) => Promise<ClientResult<unknown>>;
  readonly endOf: (part: Of) => End;
};

/** Adds 100 to the exit code of Gantry's own problems, because the exit code of a run is its command's. */
export async function withRunExit(context: CommandContext, run: () => Promise<Outcome>): Promise<Outcome> {
  const outcome = await run();
  if (outcome.ok || (context.signal.aborted && outcome.problem.code === "unreachable")) return outcome;
  const code = OWN + exitCodes[exitOf(outcome.problem)].code;
  context.output.problem(outcome.problem, code);
  return { ok: true, exit: code };
}

/**
 * The same session, whose requests do not end with Ctrl-C: a command whose start was requested would run without being
 * followed or stopped.
 */
export function patientSession(session: Session): Result<Session> {
  const { url, token, isTokenGiven, linkedProject, linkedName } = session;
  const never = new AbortController().signal;
  return openSession({ ...session, signal: never }, { url, token, isTokenGiven, linkedProject, linkedName });
}

/** Prints the output of a run until the run ends, and exits with its code. Ctrl-C stops the run. */
export async function followRun<Of extends Part>(
  session: Session,
  patient: Session,
  run: FollowedRun<Of>,
): Promise<Outcome> {
  const printed = await printOutput(session, run, 0);
  if (printed.kind === "ended") return printed.outcome;
  session.output.note(`Stopping the ${run.name} on the server.`);
  const stopped = await run.stop(patient.client);
  if (!stopped.ok) return mayRun(session, run.name, stopped);
  // A person who presses Ctrl-C does not wait for a lost connection.
  const rest = await printOutput({ ...patient, reconnectForMs: 0 }, run, printed.offset);
  return rest.kind === "ended" ? rest.outcome : { ok: true, exit: "interrupted" };
}

/** How the printing ended. `interrupted`: the session's signal ended it; `offset`: where the output continues. */
type Printed =
  | { readonly kind: "ended"; readonly outcome: Outcome }
  | { readonly kind: "interrupted"; readonly offset: number };

/** Prints the output of a run from an offset to its end. */
async function printOutput<Of extends Part>(
  session: Session,
  run: FollowedRun<Of>,
  offset: number,
): Promise<Printed> {
  const { client, output, signal, reconnectForMs } = session;
  let next = offset;
  let lostAt: number | null = null;
  const options = { offset, waitSeconds: WAIT_SECONDS, signal };
  for await (const event of followParts((query) => run.read(client, query), options)) {
    if (event.type === "part") {
      lostAt = null;
      next = event.part.next_offset;
      printLines(session, event.part.lines);
      if (!event.part.complete) continue;
      const end = run.endOf(event.part);
      output.json({ type: "end", [run.name === "job" ? "run" : run.name]: end });
      return { kind: "ended", outcome: { ok: true, exit: exitCodeOf(session, run.name, end) } };
    }
    const { problem } = event;
    if (lostAt === null && event.type === "waiting") output.note(`${problem.detail} Trying again.`);
    lostAt ??= performance.now();
    if (event.type === "problem" || performance.now() - lostAt >= reconnectForMs)
      return { kind: "ended", outcome: mayRun(session, run.name, { ok: false, problem }) };
  }
  return { kind: "interrupted", offset: next };
}

/** Prints lines as the command did: a pipe or a file gets the same bytes. */
export function printLines({ output, stderr }: Session, lines: readonly CommandOutputLine[]): void {
  for (const line of lines) {
    output.json({ type: "line", ...line });
    if (line.stream === "stdout")
      output.line(output.form === "terminal" ? printableInColour(line.message) : line.message);
    else if (line.stream === "system") output.note(line.message);
    else if (output.form !== "json")
      stderr.write(`${stderr.isTTY ? printableInColour(line.message) : line.message}\n`);
  }
}

/** Prints that it is not known how the run ends. */
function mayRun(session: Session, name: string, failed: Failed): Failed {
  session.output.note(`The ${name} may still run on the server.`);
  return failed;
}

function exitCodeOf({ output }: Session, name: string, { status, exit_code, signal, message }: End): number {
  switch (status) {
    case "exited":
      return exit_code ?? OWN + 1;
    case "killed":
      output.note(`The ${name} ${message}.`);
      return KILLED + signalNumber(signal);
    case "timed_out":
      output.note(`The ${name} ${message}.`);
      return TIMED_OUT;
    case "stopped":
      return exitCodes.interrupted.code;
    case "lost":
    case "not_started":
    case "skipped":
    case "running":
      output.note(`The ${name} ${message ?? "has ended"}.`);
      return OWN + exitCodes.failed.code;
  }
}

function signalNumber(signal: string | null): number {
  const found = Object.entries(constants.signals).find(([name]) => name === signal);
  return found?.[1] ?? constants.signals.SIGKILL;
}
