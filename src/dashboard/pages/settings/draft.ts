import * as z from "zod/mini";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { type AutomaticSetting, HealthCheck } from "#contract/endpoints/projects/settings.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { defaultTimeouts } from "#contract/stages.ts";
import { CronDraft, cronDraft } from "#dashboard/pages/settings/cron-draft.ts";
import { ProcessEdits } from "#dashboard/pages/settings/process-draft.ts";
import { pushDraft, pushFields } from "#dashboard/pages/settings/push-draft.ts";

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
  /** Empty: automatic. */
  trailing_slash: z.string(),
  fallback: z.string(),
  release_command: z.string(),
  activate_command: z.string(),
  /** One per line. */
  shared_paths: z.string(),
  keep_releases: z.string(),
  asset_overlap: z.string(),
  drain_seconds: z.string(),
  /** Unlike the other fields, only what differs from the saved settings. */
  processes: ProcessEdits,
  cron: CronDraft,
  /** Empty: the server's own limit. */
  limit_memory_mb: z.string(),
  limit_cpu_weight: z.string(),
  limit_tasks: z.string(),
  queue: z.string(),
  approval: z.string(),
  ...pushFields,
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
  /** Leaves paths without a file missing, whatever the framework. */
  hasNoFallback: z.boolean(),
});
export type Draft = Readonly<z.infer<typeof Draft>>;

/** Unsaved input. Omitted fields have their saved values. */
export const Edits = z.exactPartial(Draft);
export type Edits = z.infer<typeof Edits>;

/** The fields that are texts. */
export type DraftName = {
  [Name in keyof Draft]: Draft[Name] extends string ? Name : never;
}[keyof Draft];

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
    trailing_slash: given("trailing_slash", project.trailing_slash),
    fallback: given("fallback", project.fallback),
    release_command: project.release_command ?? "",
    activate_command: project.activate_command ?? "",
    shared_paths: project.shared_paths.join("\n"),
    keep_releases: String(project.keep_releases),
    asset_overlap: String(project.asset_overlap),
    drain_seconds: String(project.drain_seconds),
    processes: {},
    cron: cronDraft(project.cron),
    limit_memory_mb: String(project.limits.memory_mb ?? ""),
    limit_cpu_weight: String(project.limits.cpu_weight ?? ""),
    limit_tasks: String(project.limits.tasks ?? ""),
    queue: project.queue,
    approval: project.approval,
    ...pushDraft(project.deploy_on),
    health_check: check?.path ?? check?.url ?? "",
    health_status: String(check?.status ?? defaultCheck.status),
    health_tries: String(check?.tries ?? defaultCheck.tries),
    health_interval_seconds: String(check?.interval_seconds ?? defaultCheck.interval_seconds),
    health_timeout_seconds: String(check?.timeout_seconds ?? defaultCheck.timeout_seconds),
    ...mapValues(timeouts, String),
    installsNothing: !project.automatic.includes("install_command") && project.install_command === null,
    buildsNothing: !project.automatic.includes("build_command") && project.build_command === null,
    hasNoFallback: !project.automatic.includes("fallback") && project.fallback === null,
  };
}

function linesOf(aliases: Project["aliases"]): string {
  return aliases.map(({ domain }) => domain).join("\n");
}
