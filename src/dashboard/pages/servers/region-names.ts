import type { Region } from "#contract/regions.ts";

/** For people. */
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
