import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** Why a changelog has no release to make. */
export type ChangelogProblem = {
  readonly reason: "no_unreleased_heading" | "nothing_unreleased" | "version_exists";
};

/**
 * Moves what is unreleased to a version.
 * @param date of the release, such as 2026-12-01
 * @returns the new text; the texts of all versions are as before
 * Source: Keep a Changelog 1.1.0.
 */
export function moveUnreleased(
  text: string,
  version: string,
  date: string,
): ResultOf<string, ChangelogProblem> {
  const lines = text.split("\n");
  if (sectionOf(lines, version) !== null) return { ok: false, reason: "version_exists" };
  const unreleased = sectionOf(lines, "Unreleased");
  if (unreleased === null) return { ok: false, reason: "no_unreleased_heading" };
  if (unreleased.lines.join("").trim() === "") return { ok: false, reason: "nothing_unreleased" };
  return succeed(lines.toSpliced(unreleased.start, 0, "", `## [${version}] - ${date}`).join("\n"));
}

/** The text of a version, for its release notes; what is unreleased, if the version is not in the changelog. */
export function notesOf(text: string, version: string): string {
  const lines = text.split("\n");
  const section = sectionOf(lines, version) ?? sectionOf(lines, "Unreleased");
  return `${section?.lines.join("\n").trim() ?? ""}\n`;
}

/** The lines below a heading, up to the next version, and where they start; null: the heading does not exist. */
function sectionOf(
  lines: readonly string[],
  name: string,
): { readonly start: number; readonly lines: readonly string[] } | null {
  const isHeading = (line: string) => line.startsWith("## [");
  const at = lines.findIndex((line) => line === `## [${name}]` || line.startsWith(`## [${name}] - `));
  if (at === -1) return null;
  const length = lines.slice(at + 1).findIndex(isHeading);
  return { start: at + 1, lines: lines.slice(at + 1, length === -1 ? undefined : at + 1 + length) };
}
