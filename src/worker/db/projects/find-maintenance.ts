import { and, isNotNull } from "drizzle-orm";

import type { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isPlacedOn } from "#worker/db/projects/find-placed-projects.ts";
import { projects } from "#worker/db/schema.ts";

/** The maintenance of each project on a server that has ever been in maintenance. */
export async function findMaintenance(
  rows: AccountRows,
  serverId: ServerId,
): Promise<{ readonly projectId: ProjectId; readonly maintenance: MaintenanceState }[]> {
  const fields = { projectId: projects.id, maintenance: projects.maintenance };
  const where = and(isNotNull(projects.maintenance), isPlacedOn(rows, serverId));
  const found = await rows.select(fields, projects, { where });
  return found.flatMap(({ projectId, maintenance }) =>
    maintenance === null ? [] : [{ projectId, maintenance }],
  );
}
