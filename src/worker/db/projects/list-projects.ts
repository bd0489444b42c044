import { desc, lt } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";

const fields = {
  id: projects.id,
  name: projects.name,
  framework: projects.framework,
  detected: projects.detected,
  domain: projects.domain,
  serverId: projects.serverId,
  lastDeployAt: projects.lastDeployAt,
};

/** What a list shows of a project. */
export type ProjectSummary = Pick<typeof projects.$inferSelect, keyof typeof fields>;

/** The account's projects, newest first, from the one after `after` on. */
export async function listProjects(
  rows: AccountRows,
  { after, limit }: { readonly after: ProjectId | null; readonly limit: number },
): Promise<ProjectSummary[]> {
  return rows.select(fields, projects, {
    where: after === null ? undefined : lt(projects.id, after),
    orderBy: [desc(projects.id)],
    limit,
  });
}
