import { maskQuery, maskRepository, maskUrlSecret } from "#contract/git-names.ts";
import type { Project, ProjectRow, Serving } from "#contract/endpoints/projects/schemas.ts";
import { NO_DEFINITIONS } from "#contract/endpoints/projects/repository-definitions.ts";
import {
  AutomaticSetting,
  type BuildSettings,
  type HealthCheck,
} from "#contract/endpoints/projects/settings.ts";
import { type DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import { pick } from "#contract/lib/pick.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import type { ProjectSummary } from "#worker/db/projects/list-projects.ts";
import type { MemberReading } from "#worker/db/projects/project-servers.ts";
import type { ProjectServing, ServingReading } from "#worker/db/projects/project-with-serving.ts";
import { projectHealth } from "#domain/health/health-reasons.ts";
import { maintenanceView } from "#worker/views/maintenance-view.ts";
import { processesState } from "#worker/views/processes-view.ts";
import { abbreviatedCommit } from "#worker/views/deployment-view.ts";
import { balanceStates } from "#worker/views/balance-states.ts";
import { healthOfAll, serverStates } from "#worker/views/server-states.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";
import {
  applySettings,
  STATIC,
  usualPreset,
  usualReleaseCommand,
} from "#project-files/frameworks/usual-preset.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";

/** A row of the projects list. */
export function projectRow(summary: ProjectSummary): ProjectRow {
  return {
    id: summary.id,
    name: summary.name,
    framework: shownFramework(summary.framework, summary.detected),
    domain: summary.domain,
    server_id: summary.serverId,
    last_deploy: timestampOrNull(summary.lastDeployAt),
  };
}

/** A project with its settings. */
export function projectView(
  record: ProjectRecord,
  { serving, members, live, running, balance }: ProjectServing,
): Project {
  const settings = settingsOf(record);
  const servers = serverStates(
    settings.servers,
    members.map((one) => withFirst(one, record, serving)),
    { live, running },
  );
  const health = projectHealth(record.health, serving?.isConnected ?? false);
  const build = shownBuild(settings, record.detected);
  return {
    // Its id comes before the ids of the servers in the settings: a script may take the first one.
    ...projectRow({ ...record, framework: settings.framework ?? null }),
    ...settings,
    ...pick(build, AutomaticSetting.options),
    app_type: build.app_type,
    framework_reasons: build.reasons,
    automatic: AutomaticSetting.options.filter((name) => settings[name] === undefined),
    suggested_release_command: shownSuggestion(settings, record.detected),
    repository: maskRepository(record.repository),
    health_check: healthCheckView(settings.health_check),
    detected_processes: record.detected?.processes ?? {},
    repository_definitions: record.detected?.repository_definitions ?? NO_DEFINITIONS,
    processes_state: processesState(record.reportedProcesses),
    variables_applied: serving?.variablesApplied ?? null,
    maintenance: maintenanceView(record.maintenance),
    ingress_problem: record.ingressProblem,
    health: servers.length === 0 ? health : healthOfAll(servers),
    servers_state: servers,
    balance_state: balanceStates(record.id, settings, balance),
    url: record.url,
    serving: serving === null ? null : servingView(record, serving),
    deploy_key: record.deployKey,
    created_at: timestamp(record.createdAt),
  };
}

/**
 * A server that became one of several may have reported before: until it does so again, the project has what the server said on
 * which it is live, and the deploy key of its first server.
 */
function withFirst(
  member: MemberReading,
  record: ProjectRecord,
  serving: ProjectServing["serving"],
): MemberReading {
  const key = member.id === record.serverId ? record.deployKey : null;
  const deployKey = member.deployKey ?? key;
  if (member.checkedAt !== null || member.id !== serving?.serverId) return { ...member, deployKey };
  return {
    ...member,
    deployKey,
    release: record.servingRelease,
    checkedAt: record.servingCheckedAt,
    confirmedAt: serving.confirmedAt,
    url: record.url,
    processes: record.reportedProcesses,
    ingressProblem: record.ingressProblem,
    health: record.health,
  };
}

function healthCheckView(check: HealthCheck | null): HealthCheck | null {
  if (check === null) return null;
  const { path, url, ...rest } = check;
  return {
    ...(path === undefined ? {} : { path: maskQuery(path) }),
    ...(url === undefined ? {} : { url: maskUrlSecret(url) }),
    ...rest,
  };
}

function servingView(record: ProjectRecord, serving: ServingReading): Serving | null {
  if (record.servingCheckedAt === null) return null;
  return {
    deployment_id: serving.deploymentId,
    version: serving.version,
    commit: abbreviatedCommit(serving.commitSha),
    checked_at: timestamp(serving.confirmedAt ?? record.servingCheckedAt),
    drifted: record.servingRelease !== serving.liveRelease,
  };
}

/** The effective framework: the project's own setting, or the detected one, or static. */
function shownFramework(framework: string | null, detected: DetectedPreset | null): string {
  return framework ?? detected?.framework ?? STATIC;
}

/** The build settings of the next deployment, as far as they are known before its files are fetched. */
function shownBuild(settings: BuildSettings, detected: DetectedPreset | null): DetectedPreset {
  const framework = shownFramework(settings.framework ?? null, detected);
  const usual = usualPreset(framework);
  const preset = detected?.framework === framework ? detected : usual;
  return applySettings(settings, preset);
}

/** The release command that the framework of the next deployment usually needs; null if it needs none. */
function shownSuggestion(
  { framework: given }: BuildSettings,
  detected: DetectedPreset | null,
): string | null {
  const framework = shownFramework(given ?? null, detected);
  return detected?.framework === framework
    ? (detected.suggested_release_command ?? null)
    : usualReleaseCommand(framework);
}
