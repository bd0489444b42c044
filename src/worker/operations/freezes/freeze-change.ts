import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import type { FreezeReading } from "#worker/db/freezes/freeze-records.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";

/** The writes that record a change of a freeze. @param freeze as it is shown: after the change, or before it is deleted */
export function freezeChangeWrites(
  context: Context,
  type: "freeze.created" | "freeze.updated" | "freeze.deleted",
  { id, name, projectId, projectName }: FreezeReading,
  changes: AuditChanges = {},
): Write[] {
  const project = projectId === null ? null : { id: projectId, name: projectName ?? "" };
  return requestWrites(context, {
    event: { type, data: { project, freeze: { id, name } } },
    target: { type: "freeze", id, name },
    projectId,
    changes,
  });
}
