import type { Region } from "#contract/regions.ts";

/** The names of the regions, as the dashboard shows them. */
export const regionNames = {
  wnam: "North America, west",
  enam: "North America, east",
  sam: "South America",
  weur: "Europe, west",
  eeur: "Europe, east",
  apac: "Asia-Pacific",
  oc: "Oceania",
  afr: "Africa",
  me: "Middle East",
} as const satisfies Record<Region, string>;
