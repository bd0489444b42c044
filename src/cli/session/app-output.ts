import { followOutput } from "#client/follow-output.ts";
import {
  type AppOutputLine,
  DEFAULT_OUTPUT_LINES,
  MAX_LAST_LINES,
  OutputQuery,
} from "#contract/endpoints/output/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { done, type Outcome, type Result, stop } from "#cli/outcome.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { printFollowed } from "#cli/session/print-followed.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/** The options of `gantry logs` that belong to --app. */
export const appOptions = {
  app: { kind: "flag", help: "Show what the processes of the project print, and follow it" },
  process: { kind: "list", value: "NAME", help: "With --app: only this process" },
  instance: { kind: "text", value: "NAME", help: "With --app: only this instance, such as web-12-0" },
  lines: {
    kind: "text",
    value: "COUNT",
    help: `With --app: how many of the last lines come first (default: ${DEFAULT_OUTPUT_LINES})`,
  },
  "no-follow": { kind: "flag", help: "With --app: end after the last lines" },
  ended: { kind: "flag", help: "With --app: the last lines of instances that have ended" },
  timestamps: { kind: "flag", help: "With --app: the time of each line also in a pipe" },
  "no-timestamps": { kind: "flag", help: "With --app: no times at a terminal" },
} as const;

/** The first option that is given and means something only with --app; null: none. */
export function appOptionIn(given: Given): string | null {
  const isGiven = (value: Given[keyof Given]) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  return (
    Object.entries(given).find(([name, value]) => Object.hasOwn(appOptions, name) && isGiven(value))?.[0] ??
    null
  );
}

/** After how long a command that has nothing to print says so. */
const SILENCE_MS = 2_000;

type Given = {
  readonly process: readonly string[];
  readonly instance: string | null;
  readonly lines: string | null;
  readonly "no-follow": boolean;
  readonly ended: boolean;
  readonly timestamps: boolean;
  readonly "no-timestamps": boolean;
};

/** Prints what the instances of a project print, until Ctrl-C unless the options say otherwise. */
export async function printAppOutput(
  session: Session,
  project: string | null,
  given: Given,
): Promise<Outcome> {
  const query = readQuery(given);
  if (!query.ok) return query;
  const found = await findProject(session, project);
  if (!found.ok) return found;
  const { id } = found.value;
  const { output } = session;
  const hasTimes = given.timestamps || (output.form === "terminal" && !given["no-timestamps"]);
  const print = (line: AppOutputLine) => printLine(output, line, hasTimes);
  const named = await checkNames(session, id, query.value, given.ended);
  if (!named.ok) return named;
  const { hasEnded } = named.value;
  if (!given["no-follow"] && !hasEnded) return follow(session, id, query.value, print);
  const ended = given.ended ? ({ ended: "true" } as const) : {};
  const read = await session.client.getOutput({
    params: { project_id: id },
    query: { ...query.value, ...ended },
  });
  if (!read.ok) return read;
  for (const line of read.value.lines) print(line);
  if (read.value.lines.length === 0)
    output.note(hasEnded ? "The server keeps no output of ended instances." : "No output yet.");
  return done;
}

/**
 * Checks that the process exists. An instance that does not run may have ended: its output is read, and not followed.
 * If the token may not read the processes, nothing is checked.
 */
async function checkNames(
  session: Session,
  id: ProjectId,
  { process, instance }: { readonly process?: string; readonly instance?: string },
  isEnded: boolean,
): Promise<Result<{ readonly hasEnded: boolean }>> {
  if (process === undefined && instance === undefined) return succeed({ hasEnded: isEnded });
  if (!(await mayCall(session, "getProcesses"))) return succeed({ hasEnded: isEnded });
  const read = await session.client.getProcesses({ params: { project_id: id } });
  if (!read.ok) return succeed({ hasEnded: isEnded });
  const { processes } = read.value;
  const names = processes.map(({ name }) => name);
  const running = processes.flatMap(({ instances }) => instances.map(({ name }) => name));
  const isKnown = names.length === 0 || names.some((name) => name === process);
  if (process !== undefined && !isKnown && !isEnded)
    return stop("usage", `The project has no process ${process}. ${listText("Its processes are", names)}`);
  const isRunning = instance === undefined || running.some((name) => name === instance);
  if (isRunning || isEnded) return succeed({ hasEnded: isEnded });
  const kept = await session.client.getOutput({ params: { project_id: id }, query: { instance, lines: 1 } });
  if (kept.ok && kept.value.lines.length === 0)
    return stop(
      "usage",
      `No instance ${instance} runs, and the server keeps no output of it. ${listText("Running are", running)} gantry logs --app --ended shows ended instances.`,
    );
  session.output.note(`${instance} has ended. This is the end of its output.`);
  return succeed({ hasEnded: true });
}

function listText(before: string, names: readonly string[]): string {
  return names.length === 0 ? "It has none on the server." : `${before} ${names.join(", ")}.`;
}

function readQuery({
  process,
  instance,
  lines,
}: Given): Result<{ process?: string; instance?: string; lines: number }> {
  const [name, ...others] = process;
  if (others.length > 0) return stop("usage", "--process can be given once with --app.");
  const query = {
    ...(name === undefined ? {} : { process: name }),
    ...(instance === null ? {} : { instance }),
    lines: lines === null ? DEFAULT_OUTPUT_LINES : Number(lines),
  };
  const read = OutputQuery.safeParse({ ...query, lines: String(query.lines) });
  if (read.success) return succeed(query);
  const wrong = new Set(read.error.issues.map(({ path }) => path[0]));
  const rules = [
    ["lines", `a number from 1 to ${MAX_LAST_LINES}`],
    ["process", "the name of a process, such as web"],
    ["instance", "the name of an instance, such as web-12-0"],
  ] as const;
  const broken = rules
    .filter(([option]) => wrong.has(option))
    .map(([option, rule]) => `--${option} must be ${rule}`);
  return stop("usage", `${broken.join(", ")}.`);
}

async function follow(
  session: Session,
  id: ProjectId,
  query: { process?: string; instance?: string; lines: number },
  print: (line: AppOutputLine) => void,
): Promise<Outcome> {
  const { output, transport, signal } = session;
  const silence = setTimeout(
    () => output.note("No output yet. gantry ps shows which processes run. Ctrl-C ends."),
    SILENCE_MS,
  );
  try {
    return await printFollowed(session, followOutput(transport, id, { query, signal }), (item) => {
      clearTimeout(silence);
      if (item.type === "line") return print(item.line);
      output.json(item);
      output.note(leftOutText(item.lines));
    });
  } finally {
    clearTimeout(silence);
  }
}

function leftOutText(lines: number | null): string {
  return lines === null
    ? "Lines may be missing here: the connection to the server was lost."
    : `${lines} ${lines === 1 ? "line is" : "lines are"} left out: the app prints faster than they can be sent.`;
}

/** `12:00:03`, in the time zone of the terminal. Creating an Intl.DateTimeFormat takes 20 ms at each start. */
const timeOfDay = (time: number) => new Date(time).toTimeString().slice(0, "00:00:00".length);
const NO_TIME = "–".padEnd("12:00:03".length);

function printLine(output: Output, { instance, message, time }: AppOutputLine, hasTime: boolean): void {
  const { form, style } = output;
  if (form === "json")
    return output.json({ type: "line", instance, message, ...(time === undefined ? {} : { time }) });
  if (form === "plain")
    return output.line(`${hasTime ? `${printable(time ?? "–")}\t` : ""}${instance}\t${printable(message)}`);
  const text = style.dim("x") === "x" ? printable(message) : printableInColour(message);
  const shown = time === undefined || Number.isNaN(Date.parse(time)) ? NO_TIME : timeOfDay(Date.parse(time));
  output.line(`${hasTime ? `${style.dim(shown)} ` : ""}${style.dim(instance)} ${text}`);
}
