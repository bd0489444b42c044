import { eq, getTableColumns } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";

/** A project's row in D1. Times are Unix milliseconds. */
export type ProjectRecord = Omit<typeof projects.$inferSelect, "accountId">;

/** The columns of a ProjectRecord. */
export const { accountId: _owner, ...projectColumns } = getTableColumns(projects);

/** The account's project with this id; null if there is none. */
export async function findProject(rows: AccountRows, id: ProjectId): Promise<ProjectRecord | null> {
  const [project] = await rows.select(projectColumns, projects, { where: eq(projects.id, id), limit: 1 });
  return project ?? null;
}

/** The name of the account's project with this id; null if there is none. */
export async function findProjectName(rows: AccountRows, id: ProjectId): Promise<string | null> {
  const where = eq(projects.id, id);
  const [project] = await rows.select({ name: projects.name }, projects, { where, limit: 1 });
  return project?.name ?? null;
}
