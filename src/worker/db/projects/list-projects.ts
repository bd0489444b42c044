import { sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { lastDeployAt } from "#worker/db/projects/find-project.ts";
import { servingConnectedAt } from "#worker/db/projects/find-served-project.ts";
import { projects } from "#worker/db/schema.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";

const summaryColumns = {
  id: projects.id,
  name: projects.name,
  framework: sql<string | null>`${projects.settings} ->> 'framework'`,
  detected: projects.detected,
  domain: projects.domain,
  serverId: projects.serverId,
  lastDeployAt: projects.lastDeployAt,
  health: projects.health,
};

/** The fields of a project in a list. */
export type ProjectSummary = Pick<
  typeof projects.$inferSelect,
  Exclude<keyof typeof summaryColumns, "framework">
> & { readonly framework: string | null };

/** `connectedAt`: since when its server is connected, in Unix milliseconds; null: it is not. */
export type ListedProject = ProjectSummary & { readonly connectedAt: number | null };

/** The account's projects, newest first. */
export async function listProjects(
  rows: AccountRows,
  position: Position<ProjectId>,
): Promise<ListedProject[]> {
  return rows.select(
    { ...summaryColumns, lastDeployAt: lastDeployAt(rows), connectedAt: servingConnectedAt(rows) },
    projects,
    newestFirst(projects.id, position),
  );
}
