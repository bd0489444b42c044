import { expect, it } from "vitest";

import { columnsOf, wrappedPlaces } from "#dashboard/pages/deployment/wrapped-rows.ts";

it.each([
  ["plain text", 10],
  ["", 0],
  ["│ ✓ ─── ü я", 13],
  ["\ta", 9],
  ["1234\t5", 9],
  ["日本", 6],
  ["🎉", 3],
])("the text %j takes at most %d columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

it("wrapped rows are as high as their lines, and are found by their place", () => {
  const columns = [5, 0, 10, 11, 100];
  const places = wrappedPlaces(columns.length, (row) => columns[row] ?? 0, { columns: 10, lineHeight: 20 });
  expect([0, 1, 2, 3, 4, 5].map((row) => places.top(row))).toEqual([0, 20, 40, 60, 100, 300]);
  expect([0, 19, 20, 59, 60, 99, 100, 299].map((top) => places.at(top))).toEqual([0, 0, 1, 2, 3, 3, 4, 4]);
  expect(places.at(10_000)).toBe(5);
});
