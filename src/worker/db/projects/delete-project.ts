import { eq } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { deployments, projects } from "#worker/db/schema.ts";

/** Removes a project with its deployments; nothing happens where there is none. */
export async function deleteProjectRecords(rows: AccountRows, id: ProjectId): Promise<void> {
  await rows.runTogether([
    rows.delete(deployments, eq(deployments.projectId, id)),
    rows.delete(projects, eq(projects.id, id)),
  ]);
}
