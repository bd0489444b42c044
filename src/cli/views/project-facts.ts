import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { resolveCron } from "#project-files/cron/resolve-cron.ts";
import { sourceText } from "#contract/processes/command-source.ts";
import { resolveProcesses } from "#contract/processes/resolve-processes.ts";
import { type SettingName, settingNames } from "#contract/endpoints/projects/project-settings.ts";
import type { Project, ServerState } from "#contract/endpoints/projects/schemas.ts";
import type { Limits } from "#contract/endpoints/projects/settings.ts";
import { type Fact, printFacts } from "#cli/output/facts.ts";
import { isDetectedLater } from "#project-files/frameworks/is-detected-later.ts";
import { publishesNothing } from "#project-files/frameworks/publishes-nothing.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { healthText } from "#cli/views/health-text.ts";
import { entryText, printBalance } from "#cli/views/project-entry.ts";
import { printServers, rolloutText } from "#cli/views/project-servers.ts";

const NOT_DETECTED = "detected at the first deployment (automatic)";

/** The names of the project's first server, and of a server that only builds for it; null: unknown. */
export type ShownServers = { readonly first: string | null; readonly builder: string | null };

/** Prints a project and its settings. Settings that come from the framework are marked `(automatic)`. */
export function printProject(output: Output, project: Project, servers: ShownServers): void {
  output.json(project);
  printFacts(output, projectFacts(output, project, servers));
  printServers(output, project);
  printBalance(output, project);
}

/** What changes without a change of the settings. */
const NO_SETTINGS: ReadonlySet<string> = new Set([
  "serving",
  "last_deploy",
  "ingress_problem",
  "health",
  "deploy_key",
  "servers_state",
  "balance_state",
]);

/**
 * Prints the changes of a project's settings: the fields, and the new values of the fields that `printProject` shows.
 * With `--json`, the project.
 */
export function printProjectChanges(
  output: Output,
  before: Project,
  after: Project,
  servers: ShownServers,
): void {
  output.json(after);
  const earlier = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(earlier.get(name)))
    .map(([name]) => name)
    .filter((name) => !NO_SETTINGS.has(name));
  const settings = {
    ...before,
    // Names of balancers.
    balance_state: after.balance_state,
    ...Object.fromEntries(changed.map((name) => [name, Reflect.get(after, name)])),
  };
  const shown = new Map(projectFacts(output, before, { ...servers, builder: null }));
  const facts = projectFacts(output, settings, servers)
    .map(([name, text]): Fact => [name, text ?? noneText(name)])
    .filter(([name, text]) => text !== (shown.get(name) ?? noneText(name)));
  printFacts(output, [
    ["project", printableName(after.name)],
    ["changed", changed.length === 0 ? "nothing" : changed.join(", ")],
    ...facts.filter(([name]) => name !== "name"),
  ]);
  if (changed.includes("servers")) printServers(output, after);
  if (changed.includes("entry")) printBalance(output, after);
}

/** What a change says of a fact that is not shown. */
const noneText = (name: string): string =>
  name === "rollout" ? "the default" : name === "visitors" ? "reach each server" : "none";

function projectFacts(output: Output, project: Project, servers: ShownServers): Fact[] {
  const { serving, automatic } = project;
  // Nothing of an image is detected or built.
  const isImage = isImageRepository(project.repository);
  const servesFiles = project.app_type === "static" && !isImage;
  const settingText = (name: (typeof automatic)[number], text: string | null) => {
    if (!automatic.includes(name)) return printable(text ?? "none");
    return isDetectedLater(project) ? NOT_DETECTED : `${printable(text ?? "none")} (automatic)`;
  };
  return [
    ["name", printableName(project.name)],
    ["id", project.id],
    ["url", project.url],
    ["domain", project.domain],
    ["aliases", aliasesText(project.aliases)],
    ["maintenance", maintenanceText(project.maintenance, output)],
    ["health", healthText(project.health, output.style)],
    ["ingress problem", project.ingress_problem === null ? null : printable(project.ingress_problem)],
    ["serves", serving === null ? null : servingText(serving, project.servers_state[0], output)],
    ["repository", printableName(project.repository)],
    ["branch", printableName(project.branch)],
    ["commits by hash", project.commits],
    [
      "server",
      servers.first === null ? project.server_id : `${printableName(servers.first)} (${project.server_id})`,
    ],
    ["framework", isImage ? null : settingText("framework", project.framework)],
    ["because", reasonsText(project)],
    ["type", isImage ? "image" : typeText(project)],
    ["install command", isImage ? null : settingText("install_command", project.install_command)],
    ["build command", isImage ? null : settingText("build_command", project.build_command)],
    ["dockerfile", dockerfileText(project.dockerfile)],
    [
      "output directory",
      isImage || publishesNothing(project) ? null : settingText("output_directory", project.output_directory),
    ],
    ["trailing slash", servesFiles ? settingText("trailing_slash", project.trailing_slash) : null],
    ["fallback", servesFiles ? settingText("fallback", project.fallback) : null],
    ["release command", releaseText(project)],
    ["activate command", project.activate_command === null ? null : printable(project.activate_command)],
    ["shared paths", project.shared_paths.length === 0 ? null : printable(project.shared_paths.join(", "))],
    ["processes", processesText(project)],
    ["jobs", cronText(project)],
    ["pushes", pushesText(project)],
    ["health check", healthCheckText(project.health_check)],
    ["keeps releases", `${project.keep_releases}`],
    ["asset overlap", overlapText(project.asset_overlap)],
    ["limits", limitsText(project.limits)],
    ["queue", project.queue],
    ["approval", project.approval === "none" ? null : project.approval],
    ["rollout", rolloutText(project.rollout)],
    ["visitors", entryText(project)],
    ["built on", builderText(project, servers)],
    ["artifact uploads", project.artifact_uploads ? "accepted" : null],
    ...otherSettings(project),
    ["last deployment", timeText(project.last_deploy, output)],
  ];
}

/** The settings that `projectFacts` shows in words of its own, or not at all. */
const IN_OWN_WORDS: ReadonlySet<SettingName> = new Set<SettingName>([
  ...(["name", "domain", "aliases", "repository", "branch", "commits", "server_id"] as const),
  ...(["framework", "install_command", "build_command", "output_directory", "trailing_slash"] as const),
  "dockerfile",
  ...(["fallback", "root_directory", "release_command", "activate_command", "shared_paths"] as const),
  ...(["processes", "drain_seconds", "cron", "deploy_on", "health_check", "keep_releases"] as const),
  ...(["asset_overlap", "limits", "timeouts", "queue", "approval"] as const),
  ...(["servers", "rollout", "entry", "build_on", "artifact_uploads"] as const),
]);

/** All others, as `max body mb: 10`. */
function otherSettings(project: Project): Fact[] {
  return settingNames
    .filter((name) => !IN_OWN_WORDS.has(name))
    .map((name) => {
      const value: unknown = project[name];
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return [name.replaceAll("_", " "), value === null ? null : printable(text)];
    });
}

/** The name of the server that builds for all, or its ID if the name is not known. */
function builderText(
  { build_on: id, server_id: firstId, servers_state: states }: Project,
  { first, builder }: ShownServers,
): string | null {
  const known = id === firstId ? first : builder;
  const name = states.find((state) => state.id === id)?.name ?? known;
  return id === null || name === null ? id : printableName(name);
}

function typeText(project: Project): string | null {
  if (isDetectedLater(project)) return null;
  if (project.app_type === "static") return "static site";
  return project.activate_command === null ? "server" : "server, which the activate command starts";
}

function reasonsText({ automatic, framework_reasons }: Project): string | null {
  if (framework_reasons.length === 0 || !automatic.includes("framework")) return null;
  return printable(framework_reasons.join(", "));
}

/** `npm run migrate (from Procfile)`; without a source if the project sets it. */
function releaseText({ release_command: own, repository_definitions: { release_command } }: Project) {
  if (own !== null) return printable(own);
  return release_command === null
    ? null
    : printable(`${release_command.command} (${sourceText(release_command.from)})`);
}

/** `backup (@daily): ./backup (from gantry.json)` */
function cronText({ cron: own, repository_definitions: { cron } }: Project): string | null {
  const jobs = resolveCron(cron, own).map(
    ({ name, schedule, command, source }) =>
      `${name} (${schedule}): ${command}${source === "repository" ? ` (${sourceText("gantry.json")})` : ""}`,
  );
  return jobs.length === 0 ? null : printable(jobs.join(", "));
}

/** `www.shop.example.com (redirects), shop.example.org` */
function aliasesText(aliases: Project["aliases"]): string | null {
  if (aliases.length === 0) return null;
  return aliases.map(({ domain, redirect }) => (redirect ? `${domain} (redirects)` : domain)).join(", ");
}

/** `on, since 2026-11-20T12:00:03.512Z: Back at 14:00 UTC.` */
function maintenanceText(maintenance: Project["maintenance"], output: Output): string | null {
  if (maintenance === null) return null;
  const { message, started_at: since } = maintenance;
  return `on, since ${timeText(since, output)}${message === null ? "" : `: ${printable(message)}`}`;
}

/** `web (from Procfile), worker (2), clock (stopped)` */
function processesText({
  detected_processes: detected,
  processes,
  drain_seconds: drain,
  repository_definitions: { processes: sources },
}: Project): string | null {
  const resolved = resolveProcesses(detected, processes);
  if (resolved.length === 0) return null;
  const names = resolved.map(({ name, instances, stopped }) => {
    const source = processes[name]?.command === undefined ? sources[name] : undefined;
    const facts = [
      ...(stopped ? ["stopped"] : instances === 1 ? [] : [`${instances}`]),
      ...(source === undefined ? [] : [sourceText(source)]),
    ];
    return facts.length === 0 ? name : `${name} (${facts.join(", ")})`;
  });
  return `${names.join(", ")}; replaced ones get ${drain} s to finish`;
}

/** `main, release/*; tags v*; only apps/shop` */
function pushesText({ deploy_on: on, branch }: Project): string {
  if (!on.enabled) return "not deployed";
  const parts = [
    (on.branches ?? [branch]).join(", ") || "no branches",
    ...(on.tags.length === 0 ? [] : [`tags ${on.tags.join(", ")}`]),
    ...(on.paths === null ? [] : [`only ${on.paths.join(", ")}`]),
    ...(on.ignore_paths.length === 0 ? [] : [`not ${on.ignore_paths.join(", ")}`]),
    ...(on.poll ? ["polled every 5 minutes"] : []),
  ];
  return printable(parts.join("; "));
}

/** `docker/Dockerfile, with the files of apps, stage web` */
function dockerfileText(dockerfile: Project["dockerfile"]): string | null {
  if (dockerfile === null) return null;
  const { path, context, target } = dockerfile;
  const files = context === "." ? "" : `, with the files of ${context}`;
  return printable(`${path}${files}${target === undefined ? "" : `, stage ${target}`}`);
}

/** `/up`, or `/up with the status 204` */
function healthCheckText(check: Project["health_check"]): string | null {
  if (check === null) return null;
  const address = printable(check.path ?? check.url ?? "");
  return check.status === 200 ? address : `${address} with the status ${check.status}`;
}

function limitsText({ memory_mb, cpu_weight, tasks }: Limits): string | null {
  const parts = [
    ...(memory_mb === undefined ? [] : [`${memory_mb} MiB of memory`]),
    ...(cpu_weight === undefined ? [] : [`CPU weight ${cpu_weight}`]),
    ...(tasks === undefined ? [] : [`${tasks} tasks`]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}

/** `86400 s (24 h)` */
function overlapText(seconds: number): string {
  return seconds === 0 ? "none" : `${seconds} s (${Math.round(seconds / 360) / 10} h)`;
}

/** @param first the first of several servers, which the report is from; undefined: there is one */
function servingText(
  serving: NonNullable<Project["serving"]>,
  first: ServerState | undefined,
  output: Output,
): string {
  const seen = `seen ${timeText(serving.checked_at, output)}`;
  if (first?.status === "ahead") return `v${first.version}, ahead of other servers, ${seen}`;
  const name = serving.version === null ? serving.deployment_id : `v${serving.version}`;
  const commit = serving.commit === null ? "" : ` (${serving.commit})`;
  const what = name === null ? "nothing" : `${name}${commit}`;
  return `${what}, ${seen}${serving.drifted ? ", differs from the deployment" : ""}`;
}
