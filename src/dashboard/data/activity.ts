import type { Deployment, Deployments } from "#contract/endpoints/deployments/schemas.ts";
import type { ClientResult } from "#client/send.ts";

/** What is live and what runs or waits in all projects, and the latest hundred, each newest first. */
export type Activity = {
  readonly live: readonly Deployment[];
  readonly building: readonly Deployment[];
  readonly latest: readonly Deployment[];
};

/** Where it is read. */
export type ActivitySource = {
  readonly latest: () => Promise<ClientResult<Deployments>>;
  readonly all: (status: "live" | "building") => Promise<ClientResult<readonly Deployment[]>>;
};

/**
 * Reads it again and again. Nothing begins or ends without one of the latest changing, so while nothing runs and they
 * stay the same, they are all that is asked for. They have to be the same twice before: what is read at once with
 * them may come from a replica of the database that is behind.
 */
export function activityReader(source: ActivitySource): () => Promise<ClientResult<Activity>> {
  let before: Activity | null = null;
  let isQuiet = false;
  return async () => {
    const reading = source.latest();
    if (before !== null && isQuiet) {
      const again = await reading;
      if (!again.ok) return again;
      if (isSame(again.value.deployments, before.latest)) return { ...again, value: before };
    }
    const [latest, live, building] = await Promise.all([reading, source.all("live"), source.all("building")]);
    if (!latest.ok) return latest;
    if (!live.ok) return live;
    if (!building.ok) return building;
    const { deployments } = latest.value;
    isQuiet = before !== null && building.value.length === 0 && isSame(deployments, before.latest);
    before = { live: live.value, building: building.value, latest: deployments };
    return { ...latest, value: before };
  };
}

function isSame(deployments: readonly Deployment[], others: readonly Deployment[]): boolean {
  return JSON.stringify(deployments) === JSON.stringify(others);
}
