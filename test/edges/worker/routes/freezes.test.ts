import { describe, expect, it } from "vitest";
import { problemOf } from "../../../support/worker/call.ts";
import { copyWorld } from "../../../support/worker/world-copy.ts";
import { createFreeze, friday } from "../../../support/worker/freezes.ts";

describe("freezes", () => {
  it("are limited to 100 in an account", async () => {
    const world = await copyWorld();
    const all = Array.from({ length: 99 }, () => createFreeze(world, { name: "x", times: friday }));
    expect((await Promise.all(all)).every(({ status }) => status === 201)).toBe(true);
    const refused = await createFreeze(world, { name: "x", times: friday });
    expect([refused.status, (await problemOf(refused)).code]).toEqual([409, "too_many"]);
  });
});
