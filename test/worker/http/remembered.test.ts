import { describe, expect, it } from "vitest";

import { TtlCache } from "#worker/http/ttl-cache.ts";

const create = () => new TtlCache<string>({ forMs: 10, atMost: 2 });
const never = () => Promise.reject(new Error("looked up"));

describe("a cached value", () => {
  it("is looked up again after it expires, and null is never cached", async () => {
    const remembered = create();
    expect(await remembered.get("a", 0, async () => null)).toBeNull();
    expect(await remembered.get("a", 0, async () => "one")).toBe("one");
    expect(await remembered.get("a", 9, never)).toBe("one");
    expect(await remembered.get("a", 10, async () => "two")).toBe("two");
  });

  it("can be removed without removing others", async () => {
    const remembered = create();
    await remembered.get("a", 0, async () => "one");
    await remembered.get("b", 0, async () => "other");
    remembered.forget((value) => value === "one");
    expect(await remembered.get("a", 1, async () => "two")).toBe("two");
    expect(await remembered.get("b", 1, never)).toBe("other");
  });

  it("is not stored if it was removed during its look-up", async () => {
    const remembered = create();
    const before = Promise.withResolvers<string>();
    const lookedUp = remembered.get("a", 0, () => before.promise);
    remembered.forget(() => true);
    before.resolve("one");
    expect(await lookedUp).toBe("one");
    expect(await remembered.get("a", 1, async () => "two")).toBe("two");
  });
});
