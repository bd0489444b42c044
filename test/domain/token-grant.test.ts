import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import { allScopes, scopesAllow } from "#contract/scopes.ts";
import type { Permission } from "#contract/permissions.ts";
import { excessOver } from "#domain/token-grant.ts";

const ids = createIdGenerator({ now: () => 1, randomBytes: (count) => new Uint8Array(count) });
const PROJECTS = [ids.project(), ids.project(), ids.project(), ids.project()];

const reach: fc.Arbitrary<Permission> = fc.record({
  scopes: fc.subarray([...allScopes], { minLength: 1 }),
  projectIds: fc.option(fc.subarray(PROJECTS.slice(1), { minLength: 1 })),
});

/** Everything that a token can do, with the project it does it to. No limit includes the first project. */
function deedsOf({ scopes, projectIds }: Permission): string[] {
  return allScopes
    .filter((scope) => scopesAllow(scopes, scope))
    .flatMap((scope) => (projectIds ?? PROJECTS).map((projectId) => `${scope} ${projectId}`));
}

describe("a token that creates another token", () => {
  it("can give all of its own permissions, and no others", () => {
    fc.assert(
      fc.property(reach, reach, (own, wanted) => {
        const mayDo = new Set(deedsOf(own));
        expect(excessOver([own], wanted) === null).toBe(deedsOf(wanted).every((deed) => mayDo.has(deed)));
      }),
    );
  });

  it("can always create a token with the same permissions", () => {
    fc.assert(
      fc.property(reach, (own) => {
        expect(excessOver([own], own)).toBeNull();
      }),
    );
  });

  it("gets exactly the missing scopes", () => {
    fc.assert(
      fc.property(reach, reach, (own, wanted) => {
        const excess = excessOver([own], wanted);
        if (excess?.in !== "scopes") return;
        expect(excess.scopes).not.toEqual([]);
        for (const scope of excess.scopes) expect(scopesAllow(own.scopes, scope)).toBe(false);
        const withThem = { ...own, scopes: [...own.scopes, ...excess.scopes] };
        expect(excessOver([withThem], wanted)?.in).not.toBe("scopes");
      }),
    );
  });
});
