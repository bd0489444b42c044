import type { DeploymentRun } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { durationText } from "#contract/lib/duration-text.ts";
import type { Output } from "#cli/output/output.ts";
import { printable } from "#cli/output/printable.ts";
import type { Style } from "#cli/output/style.ts";
import { cut, lengthOf } from "#cli/output/table.ts";
import type { ServerNames } from "#cli/session/server-names.ts";

/** What one of several servers does for a deployment, in a word or two. The first ones need the most attention. */
const states = {
  failed: "red",
  "failed to go back": "red",
  switching: "cyan",
  building: "cyan",
  starting: "cyan",
  "catching up": "cyan",
  "going back": "yellow",
  ready: "green",
  waiting: "dim",
  live: "green",
  built: "green",
  "went back": "yellow",
  skipped: "yellow",
  stopped: "dim",
} as const satisfies Record<string, keyof Style>;
type KnownState = keyof typeof states;

const knownStates = Object.keys(states).filter((name): name is KnownState => Object.hasOwn(states, name));

const BUILDING: ReadonlySet<string> = new Set(["fetch", "install", "build"]);

type Run = Pick<DeploymentRun, "purpose" | "status" | "stage">;

/** The state of a run. A status that a newer control plane has added is shown as it is. */
export function runState({ purpose, status, stage }: Run): string {
  const isUnended =
    status === "waiting" || status === "offered" || status === "running" || status === "ready";
  if (purpose === "revert") {
    if (isUnended) return "going back";
    return status === "switched" ? "went back" : status === "failed" ? "failed to go back" : status;
  }
  if (purpose === "build" && status === "running") return "building";
  if (purpose === "catch_up" && isUnended) return "catching up";
  switch (status) {
    case "offered":
      return "waiting";
    case "running":
      if (stage === null || stage === "queued") return "starting";
      return BUILDING.has(stage) ? "building" : "switching";
    case "switched":
      return "live";
    case "waiting":
    case "ready":
    case "failed":
    case "stopped":
    case "skipped":
    case "built":
    default:
      return status;
  }
}

/** A state in its colour. */
export function paintedState(state: string, style: Style): string {
  const known = knownStates.find((one) => one === state);
  return known === undefined ? state : style[states[known]](state);
}

/** The last run of each server, in the order of the rollout. */
export function latestRuns(runs: readonly DeploymentRun[]): readonly DeploymentRun[] {
  const latest = new Map<ServerId, DeploymentRun>();
  for (const run of runs) latest.set(run.server_id, run);
  return [...latest.values()];
}

/** `1 failed, 1 building, 3 ready, 6 live` */
export function countsText(runs: readonly Run[]): string {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(runState(run), (counts.get(runState(run)) ?? 0) + 1);
  return [...counts]
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
    .map(([state, count]) => `${count} ${state}`)
    .join(", ");
}

function rankOf(state: string): number {
  const rank = knownStates.findIndex((one) => one === state);
  return rank === -1 ? knownStates.length : rank;
}

export const runColumns = ["SERVER", "STATUS", "STAGE", "FAILURE"];

/** A table row for the last run of each server, in `runColumns`; for programs, each begins with the word `servers`. */
export function runRows(
  runs: readonly DeploymentRun[],
  nameOf: ServerNames,
  { form, style }: Pick<Output, "form" | "style">,
): readonly (readonly string[])[] {
  return latestRuns(runs).map((run) => [
    ...(form === "plain" ? ["servers"] : []),
    nameOf(run.server_id),
    paintedState(runState(run), style),
    run.stage ?? run.failure?.stage ?? "–",
    run.failure === null ? "–" : `${printable(run.failure.message)} (${run.failure.code})`,
  ]);
}

type Size = { readonly columns: number; readonly rows: number };

const GAP = "   ";
/** A table that is redrawn leaves at least half of the terminal to the log. */
const LEAST_ROWS = 3;

/**
 * The servers of a running deployment for a terminal: as many columns as fit, at most half of its height. If not all servers
 * fit, it has the servers that need attention, and says how many are left out.
 * @param now Unix milliseconds
 */
export function runGrid(
  runs: readonly DeploymentRun[],
  nameOf: ServerNames,
  { style, now, size }: { readonly style: Style; readonly now: number; readonly size: Size },
): string[] {
  const nameWidth = Math.max(...runs.map(({ server_id: id }) => lengthOf(nameOf(id))));
  const cells = new Map(runs.map((run) => [run, cellText(run, nameOf, nameWidth, style, now)]));
  const width = Math.min(Math.max(...[...cells.values()].map(lengthOf)), size.columns - 1);
  const columns = Math.max(1, Math.floor((size.columns - 1 + GAP.length) / (width + GAP.length)));
  const most = columns * Math.max(LEAST_ROWS, Math.floor(size.rows / 2) - 1);
  const shown = runs.length <= most ? runs : firstByAttention(runs, most - 1);
  const left = runs.length - shown.length;
  const texts = [
    ...shown.map((run) => cells.get(run) ?? ""),
    ...(left === 0 ? [] : [style.dim(`and ${left} more`)]),
  ];
  // Down the columns, so that the order of the rollout can be read.
  const height = Math.ceil(texts.length / columns);
  return Array.from({ length: height }, (_, row) =>
    texts
      .filter((_cell, at) => at % height === row)
      .map((text) => fitted(text, width))
      .join(GAP)
      .trimEnd(),
  );
}

function fitted(text: string, width: number): string {
  const shown = cut(text, width);
  return shown + " ".repeat(Math.max(0, width - lengthOf(shown)));
}

function firstByAttention(runs: readonly DeploymentRun[], most: number): readonly DeploymentRun[] {
  const urgent = runs.toSorted((one, other) => rankOf(runState(one)) - rankOf(runState(other)));
  const chosen = new Set(urgent.slice(0, most));
  return runs.filter((run) => chosen.has(run));
}

/** `web-1  building: install 41 s` */
function cellText(
  run: DeploymentRun,
  nameOf: ServerNames,
  nameWidth: number,
  style: Style,
  now: number,
): string {
  const name = nameOf(run.server_id);
  const state = paintedState(runState(run), style);
  const isRunning = run.status === "running";
  const stage = isRunning && run.stage !== null ? `: ${run.stage}` : "";
  const spent =
    isRunning && run.started_at !== null
      ? ` ${durationText(Math.max(0, now - Date.parse(run.started_at)) / 1000)}`
      : "";
  const padding = " ".repeat(nameWidth - lengthOf(name));
  return `${name}${padding}  ${state}${style.dim(`${stage}${spent}`)}`;
}

/** `web-2: failed: exit code 1 (build_failed)`, for a change of its state. */
export function runChangeText(run: DeploymentRun, nameOf: ServerNames, style: Style): string {
  const reason = run.failure === null ? "" : `: ${printable(run.failure.message)} (${run.failure.code})`;
  return `${nameOf(run.server_id)}: ${paintedState(runState(run), style)}${reason}`;
}

/** ` on 2 of 3 servers`; nothing if there is one. A server that only builds for the others does not count. */
export function whereText(runs: readonly DeploymentRun[]): string {
  const own = latestRuns(runs).filter(({ purpose }) => purpose !== "build");
  const live = own.filter((run) => runState(run) === "live").length;
  if (own.length <= 1) return "";
  return live === own.length ? ` on ${live} servers` : ` on ${live} of ${own.length} servers`;
}

/** Which servers a deployment that has ended is live on, and what becomes of the others. */
export function outcomeLines(
  runs: readonly DeploymentRun[],
  isLive: boolean,
  nameOf: ServerNames,
): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const run of latestRuns(runs)) {
    const what = outcomeText(runState(run), isLive);
    groups.set(what, [...(groups.get(what) ?? []), nameOf(run.server_id)]);
  }
  return [...groups].map(([what, names]) => `${what}: ${names.join(", ")}`);
}

function outcomeText(state: string, isLive: boolean): string {
  switch (state) {
    case "live":
      return isLive ? "live on" : "stays on";
    case "skipped":
      return isLive ? "skipped, will get it later" : "skipped";
    case "failed":
      return isLive ? "failed, will get it later" : "failed on";
    case "went back":
      return "went back";
    case "stopped":
    case "waiting":
    case "ready":
      return "not switched";
    default:
      return state;
  }
}
