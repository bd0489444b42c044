import { ProjectId } from "#contract/ids.ts";
import { findProjectsAfter } from "#worker/db/schedule/due-rows.ts";
import { near } from "#worker/objects/location.ts";
import { callEach } from "#worker/schedule/in-time.ts";
import type { Part } from "#worker/schedule/part.ts";

/** The lanes that one step wakes. Each reads at most a few hundred rows of D1. */
const MAX_LANES = 25;

/**
 * Calls `repair` of each project's lane once a day. A lane whose repair fails retries it by itself, and is called again in
 * the next round.
 */
export const repairLanes: Part = {
  name: "repair lanes",
  everyMs: 24 * 60 * 60 * 1000,
  // The page of projects, and the position.
  cost: { statements: 2, calls: MAX_LANES },
  async step({ env, from }) {
    const projects = await findProjectsAfter(env.DB, from === null ? "" : ProjectId.parse(from), MAX_LANES);
    const failures = await callEach(
      projects,
      ({ projectId }) => ({ what: "repair lanes", project_id: projectId }),
      ({ serverLocation, ...owner }) =>
        env.PROJECT_LANE.getByName(owner.projectId, near(serverLocation, env)).repair(owner),
    );
    return { next: projects.length < MAX_LANES ? null : (projects.at(-1)?.projectId ?? null), failures };
  },
};
