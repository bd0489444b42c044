import fc from "fast-check";
import { expect, it } from "vitest";

import { selectsName, selectsPath } from "#domain/pushes/match-patterns.ts";

it.each<[patterns: string[], name: string, selected: boolean]>([
  [["main"], "main", true],
  [["main"], "main-2", false],
  [["release/*"], "release/1", true],
  [["release/*"], "release/1/fix", false],
  [["release/**"], "release/1/fix", true],
  [["**"], "any/branch", true],
  [["*"], "any/branch", false],
  [["v?.?"], "v1.2", true],
  [["v?.?"], "v10.2", false],
  [["**/fix"], "fix", true],
  [["**/fix"], "a/b/fix", true],
  [["**/fix"], "prefix", false],
  [["a/**/b"], "a/b", true],
  [["a/**/b"], "a/x/y/b", true],
  [["**", "!dependabot/**"], "dependabot/npm", false],
  [["**", "!dependabot/**", "dependabot/security"], "dependabot/security", true],
  [["!main"], "other", false],
  [["[a-z]+"], "a", false],
  [["(a|b)"], "(a|b)", true],
  [[], "main", false],
])("%j selects the branch %s: %s", (patterns, name, selected) => {
  expect(selectsName(patterns, name)).toBe(selected);
});

it.each<[patterns: string[], path: string, selected: boolean]>([
  [["apps/shop"], "apps/shop/src/main.ts", true],
  [["apps/shop/"], "apps/shop/src/main.ts", true],
  [["/apps/shop"], "apps/shop/src/main.ts", true],
  [["apps/shop"], "apps/shop-2/main.ts", false],
  [["apps/*"], "apps/shop/src/main.ts", true],
  [["apps/shop"], "apps/shop", true],
  [["*.md"], "README.md", true],
  [["*.md"], "docs/README.md", false],
  [["**/*.md"], "docs/README.md", true],
  [["**/*.md"], "README.md", true],
  [["docs/**"], "docs/a/b", true],
  [["apps/shop", "!apps/shop/docs"], "apps/shop/docs/a.md", false],
  [["**/node_modules"], "a/node_modules/b/c", true],
])("%j selects the file %s: %s", (patterns, path, selected) => {
  expect(selectsPath(patterns)(path)).toBe(selected);
});

it("selects the same as a regular expression does", () => {
  const parts = fc.constantFrom("a", "b", "/", "*", "**", "**/", "?", ".");
  const texts = fc.array(fc.constantFrom("a", "b", "/", "."), { maxLength: 12 }).map((list) => list.join(""));
  fc.assert(
    fc.property(fc.array(parts, { minLength: 1, maxLength: 8 }), texts, (list, text) => {
      const pattern = list.join("");
      fc.pre(!/\*\*\*|^\/|\/$/.test(pattern));
      const source = pattern.replace(/\*\*\/|\*\*|[*?.]/g, (part) => expressions[part] ?? part);
      expect(selectsName([pattern], text)).toBe(new RegExp(`^${source}$`).test(text));
    }),
    { numRuns: 2_000 },
  );
});

const expressions: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  ".": "\\.",
};

it("takes no time with patterns that make regular expressions slow", () => {
  const pattern = "**a".repeat(60);
  const from = process.cpuUsage();
  expect(selectsPath([pattern])(`${"a".repeat(4_000)}/b`)).toBe(true);
  expect(selectsName([pattern], `${"a".repeat(4_000)}b`)).toBe(false);
  // CPU time, which other programs on the machine do not lengthen.
  expect(process.cpuUsage(from).user).toBeLessThan(2_000_000);
});
