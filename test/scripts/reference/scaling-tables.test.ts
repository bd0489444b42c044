import { describe, expect, it } from "vitest";

import {
  callers,
  distanceKm,
  replicaMs,
  roundTripMs,
  virginia,
} from "../../../scripts/reference/distances.ts";
import { priceTable } from "../../../scripts/reference/price-table.ts";
import { countsOf, timesOf } from "../../../scripts/reference/scaling-tables.ts";

describe("the distances of docs/scaling.md", () => {
  it("are measured on the great circle", () => {
    expect(distanceKm(callers.Frankfurt, virginia)).toBeCloseTo(6_560, -2);
    expect(distanceKm(callers.Sydney, virginia)).toBeCloseTo(15_680, -2);
    expect(roundTripMs(virginia, virginia)).toBe(2);
  });

  it("have a replica near Sydney and Frankfurt, and none in South America", () => {
    expect(replicaMs(callers.Sydney)).toBe(2);
    expect(replicaMs(callers.Frankfurt)).toBeLessThan(10);
    expect(replicaMs(callers["São Paulo"])).toBe(roundTripMs(callers["São Paulo"], virginia));
  });
});

describe("the times of docs/scaling.md", () => {
  const way = { far: 200, replica: 2 };

  it("are near for a read, and far for a change", () => {
    const counts = { d1: 1, r2: 0, lane: 0, link: 0 };
    expect(timesOf("getProject", counts, way)).toEqual({ before: 200, after: 2 });
    expect(timesOf("createProject", counts, way)).toEqual({ before: 200, after: 200 });
  });

  it("move the round trip of a start from the lane's write to the lane", () => {
    expect(timesOf("startDeployment", { d1: 2, r2: 0, lane: 1, link: 0 }, way)).toEqual({
      before: 400,
      after: 400,
    });
  });

  it("come from the measured counts, of known operations only", () => {
    expect([...countsOf("| `getProject` | 1 (2) | 0 | 3 | 4 |")]).toEqual([
      ["getProject", { d1: 1, r2: 0, lane: 3, link: 4 }],
    ]);
    expect(() => countsOf("| `getNothing` | 1 | 0 | 0 | 0 |")).toThrow("a row for getNothing");
    expect(() => countsOf("")).toThrow("has no rows");
  });
});

it("the prices of docs/scaling.md come from its counts", () => {
  const page = [
    "| A deployment | 50 | 40 | 10 | 2 |",
    "| A connected server, idle for a month | 1,000 | 0 | 0 | 0 |",
  ].join("\n");
  const table = priceTable(page);
  expect(table).toContain("| A deployment | $0.00010 | 100,000 a month (calls of objects) |");
  expect(table).toContain("| $0.0010 | 50,000 (rows written in D1) | 3,000 (rows written in D1) |");
});
