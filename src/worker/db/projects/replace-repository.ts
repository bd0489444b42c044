import { and, eq } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { projects } from "#worker/db/schema.ts";
import {
  isRevisionConflict,
  type NewRevision,
  revisionWrites,
} from "#worker/db/variables/revision-writes.ts";

/**
 * Changes the address of a project's repository, and its variables with it, if the address is still `from`.
 * @returns false if another request has changed the address or the variables
 */
export async function replaceRepository(
  rows: AccountRows,
  projectId: ProjectId,
  { from, to }: { readonly from: string; readonly to: string },
  revision: NewRevision | null,
): Promise<boolean> {
  const isThere = and(eq(projects.id, projectId), eq(projects.repository, from));
  const writes = revision === null ? [] : revisionWrites(rows, revision, eq(projects.repository, from));
  try {
    // The address last: the condition of the others is the earlier one.
    const counts = await rows.runTogether([...writes, rows.update(projects, { repository: to }, isThere)]);
    return counts.at(-1) === 1;
  } catch (error) {
    if (isRevisionConflict(error)) return false;
    throw error;
  }
}
