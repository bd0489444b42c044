import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { lastDeployAt } from "#worker/db/projects/find-project.ts";
import { projects } from "#worker/db/schema.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";

const summaryColumns = {
  id: projects.id,
  name: projects.name,
  framework: projects.framework,
  detected: projects.detected,
  domain: projects.domain,
  serverId: projects.serverId,
  lastDeployAt: projects.lastDeployAt,
};

/** The fields of a project in a list. */
export type ProjectSummary = Pick<typeof projects.$inferSelect, keyof typeof summaryColumns>;

/** The account's projects, newest first. */
export async function listProjects(
  rows: AccountRows,
  position: Position<ProjectId>,
): Promise<ProjectSummary[]> {
  return rows.select(
    { ...summaryColumns, lastDeployAt: lastDeployAt(rows) },
    projects,
    newestFirst(projects.id, position),
  );
}
