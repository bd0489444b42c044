import { sizeText } from "#contract/lib/size-text.ts";
import type {
  InstanceReport,
  InstanceState,
  Processes,
  ProcessReport,
} from "#contract/endpoints/processes/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import type { ServerState } from "#contract/endpoints/projects/schemas.ts";
import { sourceText } from "#contract/processes/command-source.ts";
import { hasFailed, liveCount, processState } from "#contract/processes/process-state.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import type { Style } from "#cli/output/style.ts";
import { ageText, timeText } from "#cli/output/times.ts";

const instanceStyles = {
  starting: "cyan",
  live: "green",
  draining: "dim",
  restarting: "yellow",
  crash_looping: "red",
} as const satisfies Record<InstanceState, keyof Style>;

export const processColumns = [
  "PROCESS",
  "INSTANCE",
  "STATE",
  "UPTIME",
  "RESTARTS",
  "MEMORY",
  "CPU",
  "SOURCE",
  "COMMAND",
];

type Form = Pick<Output, "form" | "style">;

/**
 * A table row for each instance, in `processColumns`. A process without instances has a row too. The first row of a
 * process has its command, and where it is from.
 */
export function processRows({ processes, sources }: Processes, output: Form): readonly (readonly string[])[] {
  return processes.flatMap((process) => {
    const { name, command, instances } = process;
    const source = sources[name];
    const origin = [source === undefined ? "–" : sourceText(source), command];
    return instances.length === 0
      ? [[name, "–", output.style.dim(emptyText(process)), "–", "–", "–", "–", ...origin]]
      : instances.map((instance, at) => [
          name,
          ...instanceCells(instance, output),
          ...(at === 0 ? origin : ["", ""]),
        ]);
  });
}

function emptyText(process: ProcessReport): string {
  const state = processState(process);
  return state === "idle" ? "scaled to 0" : state === "stopped" ? "stopped" : "not running";
}

function instanceCells(instance: InstanceReport, { form, style }: Form): readonly string[] {
  const { name, state, started_at: since, restarts, memory_bytes: memory, cpu_percent: cpu } = instance;
  const isPlain = form === "plain";
  return [
    name,
    style[instanceStyles[state]](isPlain ? state : state.replace("_", " ")),
    since === null ? "–" : isPlain ? since : ageText(since),
    `${restarts}`,
    memory === null ? "–" : isPlain ? `${memory}` : sizeText(memory),
    cpu === null ? "–" : isPlain ? `${cpu}` : `${cpu.toFixed(1)} %`,
  ];
}

/** The server answers sooner. An older report is from before it lost contact. */
const OLD_MS = 15_000;

/**
 * What to know besides the table: how old it is, which processes lack instances, and why instances ended.
 * @param now Unix milliseconds, by the control plane's clock
 */
export function processNotes(
  { processes, checked_at: at, ingress_problem: problem }: Processes,
  output: Form,
  now: number,
): string[] {
  const isOld = at !== null && now - Date.parse(at) > OLD_MS;
  return [
    ...(isOld ? [`The server does not answer now. It reported this ${timeText(at, output)}.`] : []),
    ...(problem === null ? [] : [`Ingress: ${printable(problem)}`]),
    ...processes.filter(lacksInstances).map(lackText),
    ...processes.flatMap(({ instances }) =>
      instances.filter(({ state }) => hasFailed(state)).flatMap(crashNotes),
    ),
  ];
}

function lacksInstances(process: ProcessReport): boolean {
  return !process.stopped && liveCount(process) < process.wanted;
}

function lackText(process: ProcessReport): string {
  const counts = `${process.name} ${liveCount(process)} of ${process.wanted}`;
  return processState(process) === "starting" ? `Starting: ${counts}.` : `Degraded: ${counts}.`;
}

/** Enough for an error with its stack. An instance that keeps ending prints the same lines each time. */
const MAX_LINES = 12;

function crashNotes({ name, state, last_exit: exit, last_output: lines }: InstanceReport): string[] {
  const reason = exit === null ? "ended" : exit;
  const subject = state === "crash_looping" ? `${name} keeps ending: it` : name;
  // The agent reads them a moment after the end.
  if (lines === null) return [`${subject} ${reason}.`];
  const shown = lines.trimEnd();
  if (shown === "") return [`${subject} ${reason}. It printed nothing.`];
  const newest = shown.split("\n").slice(-MAX_LINES);
  return [`${subject} ${reason}. Its last lines:`, ...newest.map((line) => `  ${line}`)];
}

/** A line for each of several servers, about its processes. @param chosen whose table is shown; undefined: of the first */
export function serverProcessNotes(servers: readonly ServerState[], chosen: ServerId | undefined): string[] {
  const [first] = servers;
  const shown = servers.find(({ id }) => id === chosen) ?? first;
  if (shown === undefined) return [];
  const which = shown === first ? "the first of" : "one of";
  return [
    `The processes are of ${printableName(shown.name)}, ${which} ${servers.length} servers:`,
    ...servers.map((server) => `  ${printableName(server.name)}: ${serverProcessText(server)}`),
  ];
}

function serverProcessText({ processes_state: state, status, version, health }: ServerState): string {
  const what = state === null ? "no processes reported" : `processes ${state.replace("_", " ")}`;
  const serves = version === null ? "serves nothing" : `serves v${version}${servingNotes[status] ?? ""}`;
  const problems = health.state === "degraded" ? health.reasons.map(({ summary }) => printable(summary)) : [];
  return [what, serves, ...problems].join(", ");
}

const servingNotes: Readonly<Record<string, string>> = {
  ahead: ", ahead of other servers",
  behind: " and is behind",
  unknown: " according to its last report",
};
