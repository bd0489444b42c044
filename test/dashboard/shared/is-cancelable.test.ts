import { describe, expect, it } from "vitest";

import { stages } from "#contract/stages.ts";
import { isCancelable } from "#dashboard/shared/is-cancelable.ts";

describe("a deployment", () => {
  it("can be canceled until the stages that have the activation permit", () => {
    const can = stages.filter((stage) => isCancelable({ status: "building", stage }));
    expect(can).toEqual(["queued", "fetch", "install", "build"]);
  });

  it("cannot be canceled twice, or after its end", () => {
    expect(isCancelable({ status: "building", stage: "canceling" })).toBe(false);
    expect(isCancelable({ status: "live", stage: null })).toBe(false);
  });
});
