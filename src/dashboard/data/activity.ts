import type { Deployment, Deployments } from "#contract/endpoints/deployments/schemas.ts";
import type { ClientResult } from "#client/send.ts";

/** The live and building deployments of all projects, and the latest hundred. Each list is newest first. */
export type Activity = {
  readonly live: readonly Deployment[];
  readonly building: readonly Deployment[];
  readonly latest: readonly Deployment[];
};

/** The requests that read an `Activity`. */
export type ActivitySource = {
  readonly latest: () => Promise<ClientResult<Deployments>>;
  readonly all: (status: "live" | "building") => Promise<ClientResult<readonly Deployment[]>>;
};

/**
 * Creates a function for polling. While no deployment is building and the latest ones are unchanged, it requests only
 * the latest: no deployment starts or ends without changing them. It waits for two equal answers first, because the
 * other lists may come from a database replica that lags behind.
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
