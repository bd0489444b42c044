import type { Jurisdiction, Region } from "#contract/regions.ts";
import { regionsIn } from "#contract/regions.ts";

/** Where a request comes from, as Cloudflare says. Each may be missing: a local installation and Tor have none. */
export type RequestPlace = {
  readonly continent?: string | null | undefined;
  /** In degrees, as text. */
  readonly longitude?: string | null | undefined;
};

// Between Denver and Chicago, between Vienna and Warsaw, and between Dubai and Karachi.
const WEST_OF_AMERICA = -100;
const EAST_OF_EUROPE = 17;
const EAST_OF_MIDDLE_EAST = 62;

/**
 * The region nearest to where a request comes from.
 * @param jurisdiction only its regions; null: all
 * @returns null if the place is unknown or outside of the jurisdiction
 */
export function nearestRegion(
  { continent, longitude }: RequestPlace,
  jurisdiction: Jurisdiction | null,
): Region | null {
  const degrees = Number.parseFloat(longitude ?? "");
  const region = regionOf(continent ?? "", degrees);
  return region === null || isInside(region, jurisdiction) ? region : null;
}

/** Whether objects of an installation can be in a region. @param jurisdiction the installation's */
export function isInside(region: Region, jurisdiction: Jurisdiction | null): boolean {
  return jurisdiction === null || regionsIn[jurisdiction].some((one) => one === region);
}

// An unknown longitude, which is NaN, takes the region with most of the continent's servers.
function regionOf(continent: string, degrees: number): Region | null {
  switch (continent) {
    case "NA":
      return degrees < WEST_OF_AMERICA ? "wnam" : "enam";
    case "EU":
      return degrees > EAST_OF_EUROPE ? "eeur" : "weur";
    case "AS":
      return degrees < EAST_OF_MIDDLE_EAST ? "me" : "apac";
    case "SA":
      return "sam";
    case "OC":
      return "oc";
    case "AF":
      return "afr";
    default:
      return null;
  }
}
