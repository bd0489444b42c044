import type { Processes, ProcessesQuery } from "#contract/endpoints/processes/schemas.ts";
import type { ServerState } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done, type Outcome, type Result } from "#cli/outcome.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";
import { tableText } from "#cli/output/table.ts";
import { whileWaiting } from "#cli/output/while-waiting.ts";
import { findProject } from "#cli/session/find-named.ts";
import { mayCall } from "#cli/session/may-call.ts";
import { chosenServer, onOption } from "#cli/session/project-servers.ts";
import { commandLine, type Session, withSession } from "#cli/session/session.ts";
import { processColumns, processNotes, processRows, serverProcessNotes } from "#cli/views/process-text.ts";

/** How often --watch reads. */
const WATCH_MS = 2_000;

export const ps = defineCommand({
  name: "ps",
  summary: "Show the processes of a project and their instances",
  details: [
    "An instance is live when it has passed its check. An instance that ends by itself is started again; if it keeps ending, its state is crash_looping, and its last lines are printed.",
    "Of a project on several servers, the table is of the first one, or of --on, and a line for each server says what state its processes are in.",
    "With --watch, reads every two seconds until Ctrl-C. At a terminal the table is redrawn in place; otherwise each reading is printed, with --json as one line.",
  ],
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  otherNames: { server: "on" },
  options: {
    watch: { kind: "flag", short: "w", help: "Repeat every two seconds" },
    ...onOption,
  },
  examples: ["ps", "ps shop --watch", "ps shop --on web-2", "ps --json"],
  run: withSession(async (session, { words, options }) => {
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const { id } = found.value;
    const server = await chosenServer(session, id, options.on);
    if (!server.ok) return server;
    const place = { id, query: server.value };
    const read = await whileWaiting(
      session.output,
      "Reading the processes",
      readProcesses(session, place, true),
    );
    if (!read.ok) return read;
    if (options.watch) return watch(session, place, read.value);
    print(session, read.value);
    return done;
  }),
});

/** A project, and which of its servers is read. */
type Place = { readonly id: ProjectId; readonly query: ProcessesQuery };

type Reading = {
  readonly processes: Processes;
  /** When it was read, in Unix milliseconds by the control plane's clock, if it says so. */
  readonly readAt: number;
  /** What to say if there are none. */
  readonly none: string;
  /** The servers of a project on several; the processes are of one of them. Empty: there is one. */
  readonly servers: readonly ServerState[];
  /** Whose processes they are; undefined: the first server's. */
  readonly server: ServerId | undefined;
};

/** @param isOnSeveral whether the servers are read */
async function readProcesses(
  session: Session,
  { id, query }: Place,
  isOnSeveral: boolean,
): Promise<Result<Reading>> {
  const [read, servers] = await Promise.all([
    session.client.getProcesses({ params: { project_id: id }, query }),
    isOnSeveral ? readServers(session, id) : [],
  ]);
  if (!read.ok) return read;
  const date = Date.parse(read.headers.get("date") ?? "");
  const none = read.value.processes.length === 0 ? await whyNone(session, id) : NONE;
  return succeed({
    processes: read.value,
    readAt: Number.isNaN(date) ? Date.now() : date,
    none,
    servers,
    server: query.server_id,
  });
}

async function readServers(session: Session, id: ProjectId): Promise<readonly ServerState[]> {
  if (session.output.form === "json" || !(await mayCall(session, "getProject"))) return [];
  const project = await session.client.getProject({ params: { project_id: id } });
  return project.ok ? project.value.servers_state : [];
}

/** Processes that are defined and do not run wait for a deployment, and the last deployment may have failed. */
async function whyNone(session: Session, id: ProjectId): Promise<string> {
  if (!(await mayCall(session, "getProject"))) return NONE;
  const project = await session.client.getProject({ params: { project_id: id } });
  if (!project.ok) return NONE;
  const { processes, detected_processes: detected } = project.value;
  const names = [...new Set([...Object.keys(detected), ...Object.keys(processes)])].map(printable);
  if (names.length === 0) return NONE;
  return `Nothing runs yet: ${names.join(" and ")} will with the next deployment that goes live. See how the last one ended with ${commandLine(session, "deployments")}`;
}

const NONE =
  "The server runs no processes of this project. A Procfile or gantry.json in the repository, or gantry projects set --process, defines them.";

function print({ output }: Session, reading: Reading): void {
  const { processes } = reading;
  output.json(processes);
  if (processes.processes.length > 0) output.table(processColumns, processRows(processes, output));
  for (const line of notes(output, reading)) output.note(line);
}

function notes(output: Output, { processes, readAt, none, servers, server }: Reading): string[] {
  const ofProcesses = processes.processes.length === 0 ? [none] : processNotes(processes, output, readAt);
  return [...ofProcesses, ...serverProcessNotes(servers, server)];
}

async function watch(session: Session, place: Place, first: Reading): Promise<Outcome> {
  const { output, signal } = session;
  const { progress } = output;
  let last = first;
  for (;;) {
    const shown = last;
    if (progress.isVisible) progress.show(() => screenText(session, shown));
    else print(session, shown);
    await pause(WATCH_MS, signal);
    const read = signal.aborted ? null : await readProcesses(session, place, last.servers.length > 0);
    if (read !== null && !read.ok && !signal.aborted) return read;
    if (read === null || !read.ok) break;
    last = read.value;
  }
  progress.hide();
  // The last state stays on the screen.
  if (progress.isVisible) print(session, last);
  return { ok: true, exit: "interrupted" };
}

/** The table and the notes, to be redrawn in place. */
function screenText({ output, stderr }: Session, reading: Reading): string {
  const { processes } = reading;
  const lines = notes(output, reading).map(printable);
  if (processes.processes.length === 0) return lines.join("\n");
  const rows = processRows(processes, output).map((row) => row.map(printableInColour));
  const table = tableText(processColumns, rows, output.style, stderr.columns || 80);
  return [table, ...lines].join("\n");
}
