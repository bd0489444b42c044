import { maskQuery, maskUrlSecret } from "#contract/git-names.ts";
import type { HealthCheck, Project, ProjectRow, Serving } from "#contract/endpoints/projects/schemas.ts";
import { defaultTimeouts } from "#contract/stages.ts";
import type { ProjectRecord } from "#worker/db/projects/find-project.ts";
import type { ServingReading } from "#worker/db/projects/find-serving.ts";
import type { ProjectSummary } from "#worker/db/projects/list-projects.ts";
import { automaticSettings, shownFramework, shownSettings } from "#worker/views/build-view.ts";
import { abbreviatedCommit } from "#worker/views/deployment-view.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

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

/** A project with its settings. @param serving null if its server has not reported yet what it serves */
export function projectView(record: ProjectRecord, serving: ServingReading | null): Project {
  return {
    ...projectRow(record),
    ...shownSettings(record, record.detected),
    automatic: automaticSettings(record),
    repository: maskUrlSecret(record.repository),
    branch: record.branch,
    commits: record.commits,
    root_directory: record.rootDirectory,
    activate_command: record.activateCommand,
    shared_paths: record.sharedPaths,
    keep_releases: record.keepReleases,
    health_check: healthCheckView(record.healthCheck),
    timeouts: { ...defaultTimeouts, ...record.timeouts },
    queue: record.queue,
    url: record.url,
    serving: serving === null ? null : servingView(record, serving),
    created_at: timestamp(record.createdAt),
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
    commit: abbreviatedCommit(serving.commitSha),
    checked_at: timestamp(record.servingCheckedAt),
    drifted: record.servingRelease !== serving.liveRelease,
  };
}
