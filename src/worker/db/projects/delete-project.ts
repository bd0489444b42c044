import { eq } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects, deployments } from "#worker/db/schema.ts";

/** Deletes a project's rows with those of its deployments. Safe to repeat. */
export async function deleteProjectRecords(rows: AccountRows, id: ProjectId): Promise<void> {
  await rows.runTogether([
    rows.delete(deployments, eq(deployments.projectId, id)),
    rows.delete(projects, eq(projects.id, id)),
  ]);
}
