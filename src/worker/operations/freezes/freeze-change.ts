import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import type { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";
import { MAX_FREEZES } from "#contract/endpoints/freezes/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { readFreezeTimes } from "#domain/freezes/read-freeze-times.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import type { FreezeReading } from "#worker/db/freezes/freeze-records.ts";
import { findFreezesOfBusy } from "#worker/db/freezes/project-freezes.ts";
import { logFailure } from "#worker/log-failure.ts";
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

/**
 * Tells the lanes whose deployments may wait that freezes have changed. A lane that is not reached reads them within an
 * hour, as does one whose deployment is started while this runs.
 * @param projectId the project of the freeze; null: all
 */
export async function tellLanes({ latestRows, lanes }: Context, projectId: ProjectId | null): Promise<void> {
  const busy = await findFreezesOfBusy(latestRows, projectId);
  await Promise.all(
    busy.map(async (one) => {
      try {
        await lanes.getByName(one.projectId).setFreezes(one.freezes);
      } catch (error) {
        logFailure("tell lane of freezes", { project_id: one.projectId }, error);
      }
    }),
  );
}

/** The times of a freeze as they are stored. @param now Unix milliseconds */
export function acceptedTimes(times: FreezeTimes, now: number): Result<FreezeTimes, "invalid_request"> {
  const read = readFreezeTimes(times, now);
  if (read.ok) return read;
  const { field, message } = read;
  return refuse("invalid_request", `The times of the freeze: \`${field}\` ${message}.`, [
    { pointer: `/times/${field}`, message },
  ]);
}

export function tooManyFreezes() {
  return refuse(
    "too_many",
    `The account has ${MAX_FREEZES} freezes, the maximum. Delete freezes that have ended.`,
  );
}

export function refuseAccountFreeze() {
  return refuse(
    "insufficient_scope",
    "The token is limited to some projects, so it cannot create a freeze of all projects: send a project_id.",
  );
}
