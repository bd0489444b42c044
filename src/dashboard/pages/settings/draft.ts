import * as z from "zod/mini";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { HealthCheck } from "#contract/endpoints/projects/settings.ts";
import { type TextSetting, textSettings } from "#contract/endpoints/projects/project-settings.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { recordOf } from "#contract/lib/record-of.ts";
import { defaultTimeouts } from "#contract/stages.ts";
import { CronDraft, cronDraft } from "#dashboard/pages/settings/cron-draft.ts";
import { entryDraft, entryFields } from "#dashboard/pages/settings/entry-draft.ts";
import { ProcessEdits } from "#dashboard/pages/settings/process-draft.ts";
import { pushDraft, pushFields } from "#dashboard/pages/settings/push-draft.ts";
import { serverFields, serversDraft } from "#dashboard/pages/settings/server-draft.ts";

/** Lists have a line for each entry. Empty: none, or automatic. */
function textOf(project: Project, name: TextSetting): string {
  const value = project[name];
  if (value === null || project.automatic.some((one) => one === name)) return "";
  return Array.isArray(value) ? value.join("\n") : String(value);
}

/**
 * A project's settings as text for the form. The framework, the commands and the output directory are empty where they are
 * detected.
 */
export const Draft = z.object({
  ...recordOf(textSettings, () => z.string()),
  ...serverFields,
  ...entryFields,
  artifact_uploads: z.boolean(),
  /** Host names that redirect to the domain, one per line. */
  redirects: z.string(),
  /** Host names that show the same site, one per line. */
  served_aliases: z.string(),
  /** Unlike the other fields, only what differs from the saved settings. */
  processes: ProcessEdits,
  cron: CronDraft,
  /** Empty: the server's own limit. */
  limit_memory_mb: z.string(),
  limit_cpu_weight: z.string(),
  limit_tasks: z.string(),
  ...pushFields,
  /** Empty: the default. */
  dockerfile_path: z.string(),
  dockerfile_context: z.string(),
  dockerfile_target: z.string(),
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
  return {
    ...recordOf(textSettings, (name) => textOf(project, name)),
    ...serversDraft(project),
    ...entryDraft(project),
    artifact_uploads: project.artifact_uploads,
    redirects: linesOf(project.aliases.filter(({ redirect }) => redirect)),
    served_aliases: linesOf(project.aliases.filter(({ redirect }) => !redirect)),
    processes: {},
    cron: cronDraft(project.cron),
    limit_memory_mb: String(project.limits.memory_mb ?? ""),
    limit_cpu_weight: String(project.limits.cpu_weight ?? ""),
    limit_tasks: String(project.limits.tasks ?? ""),
    ...pushDraft(project.deploy_on),
    dockerfile_path: project.dockerfile?.path ?? "",
    dockerfile_context: project.dockerfile?.context ?? "",
    dockerfile_target: project.dockerfile?.target ?? "",
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
