import { type Jurisdiction, type Region, regionsIn } from "#contract/regions.ts";

/** Where a request comes from, as Cloudflare says. Each may be missing: a local installation and Tor have none. */
export type RequestLocation = {
  readonly continent: string | null;
  /** In degrees, as text. */
  readonly longitude: string | null;
};

/** The regions of a continent from west to east, with the longitude that divides them. */
const regionsOf = new Map<string | null, readonly [Region, number, Region]>([
  // Between Denver and Chicago.
  ["NA", ["wnam", -100, "enam"]],
  // Between Vienna and Warsaw.
  ["EU", ["weur", 17, "eeur"]],
  // Between Dubai and Karachi.
  ["AS", ["me", 62, "apac"]],
  ["SA", ["sam", 0, "sam"]],
  ["OC", ["oc", 0, "oc"]],
  ["AF", ["afr", 0, "afr"]],
]);

/**
 * The region nearest to where a request comes from; the eastern one of a continent if the longitude is unknown.
 * @param jurisdiction only its regions; null: all
 * @returns null if the continent is unknown, or the region outside of the jurisdiction
 */
export function nearestRegion(
  { continent, longitude }: RequestLocation,
  jurisdiction: Jurisdiction | null,
): Region | null {
  const regions = regionsOf.get(continent);
  if (regions === undefined) return null;
  const [west, border, east] = regions;
  const region = Number.parseFloat(longitude ?? "") < border ? west : east;
  return isInside(region, jurisdiction) ? region : null;
}

/** Whether objects of an installation can be in a region. @param jurisdiction the installation's */
export function isInside(region: Region, jurisdiction: Jurisdiction | null): boolean {
  return jurisdiction === null || regionsIn[jurisdiction].some((one) => one === region);
}
