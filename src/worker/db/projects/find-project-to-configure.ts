import { and, eq, sql } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projectFields, type ProjectRecord } from "#worker/db/projects/find-project.ts";
import { deployments, projects } from "#worker/db/schema.ts";

/** `mayBeLive`: whether a deployment is live, or may become so without a further request. */
type ProjectToConfigure = { readonly project: ProjectRecord; readonly mayBeLive: boolean };

/** Reads a project, and whether there is something to configure. One D1 round trip. @returns null if there is no such project */
export async function findProjectToConfigure(
  rows: AccountRows,
  id: ProjectId,
): Promise<ProjectToConfigure | null> {
  // Two counts, each of which SQLite answers with the partial index of that status.
  const having = (status: "live" | "building") =>
    rows.count(
      deployments,
      and(eq(deployments.projectId, id), sql`${deployments.status} = ${sql.raw(`'${status}'`)}`),
    );
  const fields = { ...projectFields(rows), live: having("live"), building: having("building") };
  const [found] = await rows.select(fields, projects, { where: eq(projects.id, id), limit: 1 });
  if (found === undefined) return null;
  const { live, building, ...project } = found;
  return { project, mayBeLive: live + building > 0 };
}
