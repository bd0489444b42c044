import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { Domain } from "#contract/endpoints/projects/settings.ts";
import { defaultDomain, defaultDomainWithSuffix } from "#domain/default-domain.ts";

const ids = createIdGenerator({
  now: () => 1_700_000_000_000,
  randomBytes: (count) => new Uint8Array(count).fill(7),
});

describe("a project's default domain", () => {
  it.each([
    ["shop", "shop.example.com"],
    ["My Shop", "my-shop.example.com"],
    ["Café à Go!", "cafe-a-go.example.com"],
    ["--x--", "x.example.com"],
    ["店", "site.example.com"],
    [`${"x".repeat(62)}.y`, `${"x".repeat(62)}.example.com`],
  ])("of %s is %s", (name, domain) => {
    expect(defaultDomain(name, "example.com")).toBe(domain);
  });

  it("is a valid domain for every name, also with the suffix from the id", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (name) => {
        const id = ids.project();
        for (const domain of [
          defaultDomain(name, "localhost"),
          defaultDomainWithSuffix(name, id, "localhost"),
        ])
          expect(Domain.safeParse(domain).success).toBe(true);
        expect(defaultDomainWithSuffix(name, id, "localhost")).toContain(`-${id.slice(-6)}.localhost`);
      }),
    );
  });
});
