import type { ProjectId } from "#contract/ids.ts";
import type { Context } from "#worker/context.ts";
import { findFreezesOfBusy } from "#worker/db/freezes/project-freezes.ts";
import { logFailure } from "#worker/log-failure.ts";

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
