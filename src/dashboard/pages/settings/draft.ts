import * as z from "zod/mini";

import { type AutomaticSetting, HealthCheck, type Project } from "#contract/endpoints/projects/schemas.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { defaultTimeouts, runStages, timeoutName } from "#contract/stages.ts";
import { cronChange, CronDraft, cronDraft } from "#dashboard/pages/settings/cron-draft.ts";
import { processChanges, ProcessEdits } from "#dashboard/pages/settings/process-draft.ts";

/**
 * A project's settings as text for the form. The framework, the commands and the output directory are empty where they are
 * detected.
 */
export const Draft = z.object({
  name: z.string(),
  domain: z.string(),
  /** Host names that redirect to the domain, one per line. */
  redirects: z.string(),
  /** Host names that show the same site, one per line. */
  served_aliases: z.string(),
  server_id: z.string(),
  repository: z.string(),
  branch: z.string(),
  commits: z.string(),
  root_directory: z.string(),
  framework: z.string(),
  install_command: z.string(),
  build_command: z.string(),
  output_directory: z.string(),
  release_command: z.string(),
  activate_command: z.string(),
  /** One per line. */
  shared_paths: z.string(),
  keep_releases: z.string(),
  drain_seconds: z.string(),
  /** Unlike the other fields, only what differs from the saved settings. */
  processes: ProcessEdits,
  cron: CronDraft,
  /** Empty: the server's own limit. */
  limit_memory_mb: z.string(),
  limit_cpu_weight: z.string(),
  limit_tasks: z.string(),
  queue: z.string(),
  /** A path or a URL; empty: no health check. */
  health_check: z.string(),
  health_status: z.string(),
  health_tries: z.string(),
  health_interval_seconds: z.string(),
  health_timeout_seconds: z.string(),
  ...mapValues(defaultTimeouts, () => z.string()),
  /** Skips the installation, whatever the framework. */
  installsNothing: z.boolean(),
  /** Skips the build, whatever the framework. */
  buildsNothing: z.boolean(),
});
export type Draft = Readonly<z.infer<typeof Draft>>;

/** Unsaved input. Omitted fields have their saved values. */
export const Edits = z.exactPartial(Draft);
export type Edits = z.infer<typeof Edits>;

export type DraftName = Exclude<keyof Draft, "installsNothing" | "buildsNothing" | "processes" | "cron">;

/** The defaults of a health check. */
const defaultCheck = HealthCheck.parse({ path: "/" });

export function draftOf(project: Project): Draft {
  const { health_check: check, timeouts } = project;
  const given = (name: AutomaticSetting, value: string | null) =>
    project.automatic.includes(name) ? "" : (value ?? "");
  return {
    name: project.name,
    domain: project.domain,
    redirects: linesOf(project.aliases.filter(({ redirect }) => redirect)),
    served_aliases: linesOf(project.aliases.filter(({ redirect }) => !redirect)),
    server_id: project.server_id,
    repository: project.repository,
    branch: project.branch,
    commits: project.commits,
    root_directory: project.root_directory,
    framework: given("framework", project.framework),
    install_command: given("install_command", project.install_command),
    build_command: given("build_command", project.build_command),
    output_directory: given("output_directory", project.output_directory),
    release_command: project.release_command ?? "",
    activate_command: project.activate_command ?? "",
    shared_paths: project.shared_paths.join("\n"),
    keep_releases: String(project.keep_releases),
    drain_seconds: String(project.drain_seconds),
    processes: {},
    cron: cronDraft(project.cron),
    limit_memory_mb: String(project.limits.memory_mb ?? ""),
    limit_cpu_weight: String(project.limits.cpu_weight ?? ""),
    limit_tasks: String(project.limits.tasks ?? ""),
    queue: project.queue,
    health_check: check?.path ?? check?.url ?? "",
    health_status: String(check?.status ?? defaultCheck.status),
    health_tries: String(check?.tries ?? defaultCheck.tries),
    health_interval_seconds: String(check?.interval_seconds ?? defaultCheck.interval_seconds),
    health_timeout_seconds: String(check?.timeout_seconds ?? defaultCheck.timeout_seconds),
    ...mapValues(timeouts, String),
    installsNothing: !project.automatic.includes("install_command") && project.install_command === null,
    buildsNothing: !project.automatic.includes("build_command") && project.build_command === null,
  };
}

function linesOf(aliases: Project["aliases"]): string {
  return aliases.map(({ domain }) => domain).join("\n");
}

/** The lines of a field that have a text. */
export function entriesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const timeoutNames = [...runStages.map(timeoutName), "queue_seconds"] as const;
const healthNames = [
  "health_status",
  "health_tries",
  "health_interval_seconds",
  "health_timeout_seconds",
] as const;
const textNames = [
  "name",
  "domain",
  "server_id",
  "repository",
  "branch",
  "commits",
  "root_directory",
  "queue",
] as const;

const limitNames = ["memory_mb", "cpu_weight", "tasks"] as const;

/** An empty limit becomes the server's. */
function limitOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

/** The changes as the body of a PATCH, not validated yet. Unchanged settings are omitted. */
export function changesOf(draft: Draft, project: Project): Record<string, unknown> {
  const before = draftOf(project);
  const changes: Record<string, unknown> = {};
  const isChanged = (name: keyof Draft) => draft[name] !== before[name];
  for (const name of textNames) if (isChanged(name)) changes[name] = draft[name].trim();
  for (const name of ["keep_releases", "drain_seconds"] as const)
    if (isChanged(name)) changes[name] = Number(draft[name]);
  const limits = limitNames.filter((name) => isChanged(`limit_${name}`));
  if (limits.length > 0)
    changes["limits"] = Object.fromEntries(limits.map((name) => [name, limitOf(draft[`limit_${name}`])]));
  for (const name of ["release_command", "activate_command"] as const)
    if (isChanged(name)) changes[name] = draft[name].trim() || null;
  if (isChanged("shared_paths")) changes["shared_paths"] = entriesOf(draft.shared_paths);
  if (isChanged("redirects") || isChanged("served_aliases"))
    changes["aliases"] = [
      ...entriesOf(draft.redirects).map((domain) => ({ domain, redirect: true })),
      ...entriesOf(draft.served_aliases).map((domain) => ({ domain, redirect: false })),
    ];
  const processes = processChanges(draft.processes, project);
  if (Object.keys(processes).length > 0) changes["processes"] = processes;
  const cron = cronChange(draft.cron, project.cron);
  if (cron !== null) changes["cron"] = cron;
  if (isChanged("health_check") || (draft.health_check.trim() !== "" && healthNames.some(isChanged)))
    changes["health_check"] = healthCheck(draft);
  const timeouts = timeoutNames.filter(isChanged).map((name) => [name, Number(draft[name])] as const);
  if (timeouts.length > 0) changes["timeouts"] = Object.fromEntries(timeouts);
  return { ...changes, ...automaticChanges(draft, isChanged) };
}

/** The edits, or null if they do not differ from the saved project. */
export function editsAfter(edits: Edits, project: Project): Edits | null {
  const changes = changesOf({ ...draftOf(project), ...edits }, project);
  return Object.keys(changes).length === 0 ? null : edits;
}

/** The edits that were made after a draft was sent. */
export function editsSince(sent: Edits | null, now: Edits | null): Edits {
  const isSent = ([name, value]: [string, unknown]) =>
    new Map(Object.entries(sent ?? {})).get(name) === value;
  return Edits.parse(Object.fromEntries(Object.entries(now ?? {}).filter((edit) => !isSent(edit))));
}

/** Each command with the check box that skips it. */
const commandNames = [
  ["install_command", "installsNothing"],
  ["build_command", "buildsNothing"],
] as const;

function automaticChanges(draft: Draft, isChanged: (name: keyof Draft) => boolean): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  const automatic: AutomaticSetting[] = [];
  for (const name of ["framework", "output_directory"] as const) {
    if (!isChanged(name)) continue;
    if (draft[name].trim() === "") automatic.push(name);
    else changes[name] = draft[name].trim();
  }
  for (const [name, skips] of commandNames) {
    if (!isChanged(name) && !isChanged(skips)) continue;
    if (draft[skips]) changes[name] = null;
    else if (draft[name].trim() === "") automatic.push(name);
    else changes[name] = draft[name].trim();
  }
  return automatic.length === 0 ? changes : { ...changes, automatic };
}

function healthCheck(draft: Draft): unknown {
  const given = draft.health_check.trim();
  if (given === "") return null;
  return {
    ...(given.startsWith("/") ? { path: given } : { url: given }),
    status: Number(draft.health_status),
    tries: Number(draft.health_tries),
    interval_seconds: Number(draft.health_interval_seconds),
    timeout_seconds: Number(draft.health_timeout_seconds),
  };
}
