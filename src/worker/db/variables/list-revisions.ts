import { and, eq } from "drizzle-orm";

import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { isOfProject } from "#worker/db/projects/is-of-project.ts";
import { variableRevisions } from "#worker/db/variable-tables.ts";

const columns = {
  revision: variableRevisions.revision,
  changedAt: variableRevisions.changedAt,
  changedBy: variableRevisions.changedBy,
  setNames: variableRevisions.setNames,
  removedNames: variableRevisions.removedNames,
};

/** A change of a project's variables. `changedAt` is in Unix milliseconds. */
export type RevisionReading = Pick<typeof variableRevisions.$inferSelect, keyof typeof columns>;

/** The changes of a project's variables, newest first. */
export async function listRevisions(
  rows: AccountRows,
  projectId: ProjectId,
  position: Position<number>,
): Promise<RevisionReading[]> {
  const ofProject = and(eq(variableRevisions.projectId, projectId), isOfProject(rows, variableRevisions));
  const selection = newestFirst(variableRevisions.revision, position, ofProject);
  return await rows.select(columns, variableRevisions, selection);
}
