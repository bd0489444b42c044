import type { Project, ServerState } from "#contract/endpoints/projects/schemas.ts";
import {
  cronServer,
  type ProjectServer,
  Rollout,
  servesDomain,
} from "#contract/endpoints/projects/servers.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { resolveCron } from "#project-files/cron/resolve-cron.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { type Style, styled } from "#cli/output/style.ts";
import { timeText } from "#cli/output/times.ts";
import { healthText } from "#cli/views/health-text.ts";

type Form = Pick<Output, "form" | "style">;

const stateStyles = {
  live: "green",
  ahead: "cyan",
  behind: "yellow",
  unknown: "dim",
  none: "dim",
} as const satisfies Record<"live" | "ahead" | "behind" | "unknown" | "none", keyof Style>;

export const serverColumns = ["SERVER", "STATUS", "VERSION", "SEEN", "RUNS", "PROBLEM", "ID"];

/** A table row for each of several servers, in `serverColumns`; for programs, each begins with the word `servers`. */
export function serverRows(project: Project, output: Form): readonly (readonly string[])[] {
  const cronId = hasJobs(project) ? cronServer(project.servers) : null;
  return project.servers.map((server) => {
    const state = project.servers_state.find(({ id }) => id === server.id);
    return [
      ...(output.form === "plain" ? ["servers"] : []),
      state === undefined ? server.id : printableName(state.name),
      ...stateCells(state, output),
      placeText(server, server.id === cronId),
      state === undefined ? "–" : (problemText(state, output.style) ?? "–"),
      output.style.dim(server.id),
    ];
  });
}

function stateCells(state: ServerState | undefined, output: Form): readonly string[] {
  if (state === undefined) return ["–", "–", "–"];
  const { status, version, checked_at: at } = state;
  return [styled(output.style, stateStyles, status), versionText(version), timeText(at, output)];
}

const versionText = (version: number | null): string => (version === null ? "–" : `v${version}`);

/** `web, worker, jobs` */
function placeText(server: ProjectServer, hasCron: boolean): string {
  const { processes } = server;
  const names = processes === null ? ["all processes"] : processes;
  const parts = [...names, ...(hasCron ? ["cron jobs"] : [])];
  const text = parts.length === 0 ? "nothing" : parts.join(", ");
  return servesDomain(server) ? text : `${text} (no site)`;
}

function problemText({ health, ingress_problem: problem }: ServerState, style: Style): string | null {
  const parts = [
    ...(health.state === "degraded" ? [healthText(health, style)] : []),
    ...(problem === null ? [] : [`ingress: ${printable(problem)}`]),
  ];
  return parts.length === 0 ? null : parts.join("; ");
}

function hasJobs({ cron, repository_definitions: { cron: own } }: Project): boolean {
  return resolveCron(own, cron).length > 0;
}

/** Prints what runs on each of several servers, and what it serves. Nothing for one server. */
export function printServers(output: Output, project: Project): void {
  if (project.servers_state.length === 0) return;
  if (output.form === "terminal") output.line();
  output.table(serverColumns, serverRows(project, output));
}

/** `2 at a time, 30 s between them; if one fails, servers that have switched stay`; null: all is as by default. */
export function rolloutText(rollout: Rollout): string | null {
  const usual = Rollout.parse({});
  if (JSON.stringify(Rollout.parse(rollout)) === JSON.stringify(usual)) return null;
  const { order, batch, pause_seconds: pause, canary, on_failure: onFailure, offline, min } = rollout;
  const batches = batch === 1 ? "one at a time" : `${batch} at a time`;
  const rest = order === "at_once" ? "all at once" : batches;
  const approval = canary?.approval === true ? "after an approval " : "";
  const first = canary === null ? "" : `first ${canary.size}, then ${approval}`;
  const pauses = pause === 0 || order === "at_once" ? "" : `, ${pause} s between them`;
  return [
    `${first}${rest}${pauses}`,
    ...(onFailure === "revert" ? [] : [failureTexts[onFailure]]),
    ...(offline === "skip" ? ["servers that are not connected are left out"] : []),
    ...(min === 1 ? [] : [`at least ${min} must switch`]),
  ].join("; ");
}

const failureTexts = {
  stop: "if one fails, servers that have switched stay",
  continue: "if one fails, the others continue",
} as const satisfies Record<Exclude<Rollout["on_failure"], "revert">, string>;

/** What is probably wrong with which processes run on which server. */
export function placeNotes(project: Project): string[] {
  const known = [...new Set([...Object.keys(project.detected_processes), ...Object.keys(project.processes)])];
  if (known.length === 0 || project.servers_state.length === 0) return [];
  const named = new Set(project.servers.flatMap(({ processes }) => processes ?? []));
  const isEverywhere = project.servers.some(({ processes }) => processes === null);
  return [
    ...[...named]
      // Without a process of this name, a static site has the word.
      .filter((name) => name !== "web" && !known.includes(name))
      .map((name) => `The project has no process ${name} yet.${didYouMean(name, known)}`),
    ...(isEverywhere ? [] : known.filter((name) => !named.has(name)).map(unplaced)),
  ];
}

const unplaced = (name: string): string => `The process ${printable(name)} runs on no server.`;
