import { refuse, type Result } from "#contract/problems.ts";
import type { Region } from "#contract/regions.ts";
import { isInside } from "#domain/nearest-region.ts";
import type { Services } from "#worker/context.ts";

/** Refuses a region for a server in which the installation must not have objects; null: it may. */
export function refuseOutside(
  { jurisdiction }: Pick<Services, "jurisdiction">,
  region: Region | null | undefined,
): Result<never, "invalid_request"> | null {
  if (!region || isInside(region, jurisdiction)) return null;
  const message = `must be in the installation's jurisdiction, ${jurisdiction}`;
  return refuse("invalid_request", `The region ${message}.`, [{ pointer: "/region", message }]);
}
