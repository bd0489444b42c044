import { followOutput } from "#client/follow-output.ts";
import {
  type AppOutputLine,
  DEFAULT_OUTPUT_LINES,
  MAX_LAST_LINES,
  OutputQuery,
} from "#contract/endpoints/output/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { done, type Outcome, type Result, stop } from "#cli/outcome.ts";
import { findProject } from "#cli/session/find-named.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { chooseOutputServers } from "#cli/session/output-servers.ts";
import { printFollowed } from "#cli/session/print-followed.ts";
import type { Session } from "#cli/session/session.ts";
import { printOutputLine } from "#cli/views/output-line.ts";
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

/** What is asked of a server. */
type AskedOutput = { process?: string; instance?: string; lines: number; server_id?: ServerId };

type Given = {
  readonly server: readonly string[];
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
  const servers = await chooseOutputServers(session, id, given.server);
  if (!servers.ok) return servers;
  const { output } = session;
  const hasTimes = given.timestamps || (output.form === "terminal" && !given["no-timestamps"]);
  const [only] = servers.value;
  const sources = servers.value.map(({ server, prefix, name }) => ({
    name,
    query: { ...query.value, ...server },
    print: (line: AppOutputLine) => printOutputLine(output, line, { hasTimes, prefix, server }),
  }));
  // Of several servers, some may not run the process.
  const named =
    servers.value.length > 1 || only === undefined
      ? succeed({ hasEnded: given.ended })
      : await checkNames(session, id, { ...query.value, ...only.server }, given.ended);
  if (!named.ok) return named;
  const { hasEnded } = named.value;
  return !given["no-follow"] && !hasEnded
    ? await fromEach(session, sources, (source) => follow(session, id, source))
    : await readEach(session, id, sources, { isEnded: given.ended, hasEnded });
}

/** What is asked of one server, and how its lines are printed. */
type Source = {
  readonly name: string;
  readonly query: AskedOutput;
  readonly print: (line: AppOutputLine) => void;
};

/** Does this for each server. A server of several that cannot be asked is named, unless none can be. */
async function fromEach(
  { output }: Session,
  sources: readonly Source[],
  print: (source: Source) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes = await Promise.all(
    sources.map(async (source) => {
      const outcome = await print(source);
      if (!outcome.ok && sources.length > 1) output.note(`${source.name}: ${outcome.problem.detail}`);
      return outcome;
    }),
  );
  return outcomes.find(({ ok }) => ok) ?? outcomes[0] ?? done;
}

async function readEach(
  session: Session,
  id: ProjectId,
  sources: readonly Source[],
  { isEnded, hasEnded }: { readonly isEnded: boolean; readonly hasEnded: boolean },
): Promise<Outcome> {
  let count = 0;
  const outcome = await fromEach(session, sources, async ({ query, print }) => {
    const ended = isEnded ? ({ ended: "true" } as const) : {};
    const read = await session.client.getOutput({
      params: { project_id: id },
      query: { ...query, ...ended },
    });
    if (!read.ok) return read;
    for (const line of read.value.lines) print(line);
    count += read.value.lines.length;
    return done;
  });
  if (outcome.ok && count === 0)
    session.output.note(hasEnded ? "The server keeps no output of ended instances." : "No output yet.");
  return outcome;
}

/**
 * Checks that the process exists. An instance that does not run may have ended: its output is read, and not followed.
 * If the token may not read the processes, nothing is checked.
 */
async function checkNames(
  session: Session,
  id: ProjectId,
  { process, instance, server_id }: Pick<AskedOutput, "process" | "instance" | "server_id">,
  isEnded: boolean,
): Promise<Result<{ readonly hasEnded: boolean }>> {
  if (process === undefined && instance === undefined) return succeed({ hasEnded: isEnded });
  if (!(await mayCall(session, "getProcesses"))) return succeed({ hasEnded: isEnded });
  const server = server_id === undefined ? {} : { server_id };
  const read = await session.client.getProcesses({ params: { project_id: id }, query: server });
  if (!read.ok) return succeed({ hasEnded: isEnded });
  const { processes } = read.value;
  const names = processes.map(({ name }) => name);
  const running = processes.flatMap(({ instances }) => instances.map(({ name }) => name));
  const isKnown = names.length === 0 || names.some((name) => name === process);
  if (process !== undefined && !isKnown && !isEnded)
    return stop("usage", `The project has no process ${process}. ${listText("Its processes are", names)}`);
  const isRunning = instance === undefined || running.some((name) => name === instance);
  if (isRunning || isEnded) return succeed({ hasEnded: isEnded });
  const query = { ...server, instance, lines: 1 };
  const kept = await session.client.getOutput({ params: { project_id: id }, query });
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

function readQuery({ process, instance, lines }: Given): Result<AskedOutput> {
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

async function follow(session: Session, id: ProjectId, { query, print }: Source): Promise<Outcome> {
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
