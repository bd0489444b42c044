import { refuse, type Result } from "#contract/problems.ts";
import { type Region, regionsIn } from "#contract/regions.ts";
import { isInside } from "#domain/nearest-region.ts";
import type { Services } from "#worker/context.ts";

/** Refuses a region for a server in which the installation must not have objects; null: it may. */
export function refuseOutside(
  { jurisdiction }: Pick<Services, "jurisdiction">,
  region: Region | null | undefined,
): Result<never, "invalid_request"> | null {
  if (jurisdiction === null || region === null || region === undefined) return null;
  if (isInside(region, jurisdiction)) return null;
  const message = `must be one of ${regionsIn[jurisdiction].join(", ")}`;
  return refuse("invalid_request", `This installation keeps its data in ${jurisdiction}.`, [
    { pointer: "/region", message },
  ]);
}
