import { describe, expect, it } from "vitest";

import { isInside, nearestRegion } from "#domain/nearest-region.ts";

describe("the region nearest to a request", () => {
  it.each([
    ["Ashburn", "NA", "-77.49", "enam"],
    ["San Francisco", "NA", "-122.42", "wnam"],
    ["São Paulo", "SA", "-46.63", "sam"],
    ["Frankfurt", "EU", "8.68", "weur"],
    ["Warsaw", "EU", "21.01", "eeur"],
    ["Dubai", "AS", "55.27", "me"],
    ["Singapore", "AS", "103.82", "apac"],
    ["Sydney", "OC", "151.21", "oc"],
    ["Nairobi", "AF", "36.82", "afr"],
  ])("of %s is %s %s → %s", (_city, continent, longitude, region) => {
    expect(nearestRegion({ continent, longitude }, null)).toBe(region);
  });

  it("is the eastern one of a continent if the longitude is unknown", () => {
    const of = (continent: string) => nearestRegion({ continent, longitude: null }, null);
    expect([of("NA"), of("EU"), of("AS")]).toEqual(["enam", "eeur", "apac"]);
  });

  it("is unknown for a request without a continent, from Tor or from Antarctica", () => {
    for (const continent of [null, "", "T1", "AN"])
      expect(nearestRegion({ continent, longitude: "0" }, null)).toBeNull();
  });

  it("is unknown outside of the installation's jurisdiction", () => {
    const sydney = { continent: "OC", longitude: "151.21" };
    expect(nearestRegion(sydney, "eu")).toBeNull();
    expect(nearestRegion({ continent: "EU", longitude: "8.68" }, "eu")).toBe("weur");
    expect([isInside("enam", "us"), isInside("weur", "us"), isInside("sam", null)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
