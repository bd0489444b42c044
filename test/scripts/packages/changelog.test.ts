import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { moveUnreleased, notesOf } from "../../../scripts/packages/changelog.ts";

/** The text of a version. It can have headings of its own, and lines that look like the heading of a version. */
const section = fc
  .array(
    fc.constantFrom("- A change.", "### Added", "", "  ## [9.9.9] - 2020-01-01", "## not a version", "[x]"),
  )
  .map((lines) => lines.join("\n"));
const changelog = fc.record({
  head: section,
  unreleased: section,
  versions: fc.array(section, { maxLength: 3 }),
});

const textOf = ({ head, unreleased, versions }: { head: string; unreleased: string; versions: string[] }) =>
  [
    `# Changelog\n\n${head}\n\n## [Unreleased]\n\n${unreleased}\n`,
    ...versions.map((text, at) => `\n## [0.${versions.length - at}.0] - 2026-11-2${at}\n\n${text}\n`),
  ].join("");

describe("a changelog", () => {
  it("moves what is unreleased to the version, and changes nothing else", () => {
    fc.assert(
      fc.property(changelog, (parts) => {
        const text = textOf(parts);
        const moved = moveUnreleased(text, "1.0.0", "2026-12-01");
        if (parts.unreleased.trim() === "") {
          expect(moved).toEqual({ ok: false, reason: "nothing_unreleased" });
          return;
        }
        const added = "\n## [1.0.0] - 2026-12-01\n";
        const value = moved.ok ? moved.value : "";
        expect(value.split(added)).toHaveLength(2);
        expect(value.replace(added, "")).toBe(text);
        expect(notesOf(value, "1.0.0")).toBe(`${parts.unreleased.trim()}\n`);
        expect(notesOf(value, "Unreleased")).toBe("\n");
        parts.versions.forEach((known, at) => {
          const version = `0.${parts.versions.length - at}.0`;
          expect(notesOf(value, version)).toBe(`${known.trim()}\n`);
        });
        expect(moveUnreleased(value, "1.0.0", "2026-12-02")).toEqual({ ok: false, reason: "version_exists" });
        expect(moveUnreleased(value, "1.0.1", "2026-12-02")).toEqual({
          ok: false,
          reason: "nothing_unreleased",
        });
      }),
    );
  });

  it("needs the heading of what is unreleased", () => {
    expect(moveUnreleased("# Changelog\n", "1.0.0", "2026-12-01")).toEqual({
      ok: false,
      reason: "no_unreleased_heading",
    });
  });
});
