import { ProjectId } from "#contract/ids.ts";
import { findProjectsToThin } from "#worker/db/schedule/due-rows.ts";
import { callEach } from "#worker/schedule/in-time.ts";
import type { Part } from "#worker/schedule/part.ts";

/** The lanes that one step calls. Each removes at most a few hundred records. */
const MAX_LANES = 10;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes the records of deployments that have ended longer ago than their account keeps them. The lanes decide which
 * (`removeOldDeployments`), because they know what a rollback may need.
 */
export const removeOldDeployments: Part = {
  name: "remove old deployments",
  everyMs: 20 * 60 * 60 * 1000,
  // The page of projects, and the position.
  cost: { statements: 2, calls: MAX_LANES },
  async step({ env, clock, from }) {
    const after = from === null || from === "" ? "" : ProjectId.parse(from);
    const projects = await findProjectsToThin(env.DB, after, MAX_LANES);
    let isAll = true;
    const failures = await callEach(
      projects,
      ({ projectId }) => ({ what: "remove old deployments", project_id: projectId }),
      async ({ projectId, retentionDays }) => {
        const endedBefore = clock.now() - retentionDays * DAY_MS;
        if (!(await env.PROJECT_LANE.getByName(projectId).removeOld(endedBefore))) isAll = false;
        return true;
      },
    );
    // The same page again, until its lanes have nothing left. A failed lane is tried again in the next round.
    if (!isAll) return { next: after, failures };
    return { next: projects.length < MAX_LANES ? null : (projects.at(-1)?.projectId ?? null), failures };
  },
};
