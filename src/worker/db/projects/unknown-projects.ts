import { sql, type SQL } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { isOneOf } from "#worker/db/json-lists.ts";
import { projects } from "#worker/db/schema.ts";

/** Whether the caller can access all of these projects, each listed once. */
export function hasProjects(rows: AccountRows, ids: readonly ProjectId[]): SQL {
  return sql`${rows.count(projects, isOneOf(projects.id, ids))} = ${ids.length}`;
}

/** Those of the projects that the caller cannot access. */
export async function unknownProjects(rows: AccountRows, ids: readonly ProjectId[]): Promise<ProjectId[]> {
  const known = await rows.select({ id: projects.id }, projects, { where: isOneOf(projects.id, ids) });
  const knownIds = new Set(known.map(({ id }) => id));
  return ids.filter((id) => !knownIds.has(id));
}
