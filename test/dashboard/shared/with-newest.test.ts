import { describe, expect, it } from "vitest";

import { type Loaded, withNewest } from "#dashboard/shared/with-newest.ts";

/** Rows from one number down to another, as pages of a list are. */
function rows(from: number, to: number, cursor: string | null): Loaded<number> {
  return { rows: Array.from({ length: from - to + 1 }, (_, at) => from - at), cursor };
}
const join = (known: Loaded<number>, newest: Loaded<number>) => withNewest(known, newest, (row) => row);

describe("a list whose newest page is read again", () => {
  it("keeps the older pages, without a gap and without a row twice", () => {
    const known = rows(50, 11, "after 11");
    expect(join(known, rows(53, 34, "after 34"))).toEqual(rows(53, 11, "after 11"));
  });

  it("begins again with the page if more rows are new than it holds", () => {
    expect(join(rows(50, 11, null), rows(90, 71, "after 71"))).toEqual(rows(90, 71, "after 71"));
  });

  it("is the page if that is all there is", () => {
    expect(join(rows(3, 1, null), { rows: [4], cursor: null })).toEqual({ rows: [4], cursor: null });
    expect(join(rows(3, 1, null), { rows: [], cursor: null })).toEqual({ rows: [], cursor: null });
    expect(join({ rows: [], cursor: null }, rows(9, 5, "after 5"))).toEqual(rows(9, 5, "after 5"));
  });
});
