import validRange from "semver/ranges/valid.js";

/**
 * The versions that a file asks for. `range`: a range of semver. `newest`: any version, and the newest if one has to be
 * installed. `lts`: a version of Node with long-term support.
 */
export type WantedVersion =
  | { readonly kind: "range"; readonly range: string }
  | { readonly kind: "newest" }
  | { readonly kind: "lts" };

/** How a file writes versions. They differ in what `~1.2` means, and in the words for a version that is not fixed. */
export type VersionDialect = "npm" | "composer" | "ruby" | "version-file" | "go";

/** No version is longer. Longer texts are not parsed, so that a hostile one takes no time. */
const MAX_LENGTH = 100;

/** The major versions of Node by the names of their LTS lines. Source: nodejs/Release, schedule.json. */
const ltsLines: ReadonlyMap<string, number> = new Map([
  ["argon", 4],
  ["boron", 6],
  ["carbon", 8],
  ["dubnium", 10],
  ["erbium", 12],
  ["fermium", 14],
  ["gallium", 16],
  ["hydrogen", 18],
  ["iron", 20],
  ["jod", 22],
  ["krypton", 24],
]);

/** Reads a version as a file writes it; `null` if it cannot be read, such as `system` or another implementation. */
export function readWanted(written: string, dialect: VersionDialect): WantedVersion | null {
  const text = written.trim();
  if (text === "" || text.length > MAX_LENGTH || text.includes("\n")) return null;
  switch (dialect) {
    case "npm":
      return text === "latest" ? { kind: "newest" } : rangeOf(text);
    case "composer":
      return rangeOf(composerRange(text));
    case "ruby":
      return rangeOf(
        withTildes(
          text
            .replace(/^ruby-/, "")
            .replace(/-p\d+$/, "")
            .replaceAll(",", " "),
          "~>",
        ),
      );
    case "version-file":
      return readVersionFile(text);
    case "go":
      return rangeOf(`>=${text.replace(/^go/, "")}`);
  }
}

function readVersionFile(text: string): WantedVersion | null {
  const lower = text.toLowerCase();
  if (["node", "latest", "stable", "current"].includes(lower)) return { kind: "newest" };
  if (lower === "lts" || lower === "lts/*") return { kind: "lts" };
  const line = /^lts[/-]([a-z]+)$/.exec(lower)?.[1];
  if (line !== undefined) {
    const major = ltsLines.get(line);
    return major === undefined ? null : { kind: "range", range: `${major}` };
  }
  return rangeOf(lower.replace(/^(?:(?:node|ruby|go)-?|prefix:)(?=v?\d)/, "").replace(/-p\d+$/, ""));
}

function rangeOf(text: string): WantedVersion | null {
  return validRange(text) === null ? null : { kind: "range", range: text.trim() };
}

/** Source: getcomposer.org, "Versions and constraints". */
function composerRange(text: string): string {
  const alternatives = text.split(/\s*\|\|?\s*/).map((one) => {
    const parts = one.replace(/@[a-z]+/gi, "").replace(/\s+as\s.*$/, "");
    return withTildes(parts.replaceAll(",", " "), "~");
  });
  return alternatives.join(" || ");
}

/** `~1.2` of Composer and `~> 1.2` of Ruby allow everything below 2, and `~1.2.3` everything below 1.3. */
function withTildes(text: string, tilde: "~" | "~>"): string {
  return text.replace(
    tilde === "~" ? /~\s*(\d+)(\.\d+)?(\.\d+)?/g : /~>\s*(\d+)(\.\d+)?(\.\d+)?/g,
    (_, major: string, minor = "", patch = "") =>
      patch === "" ? `^${major}${minor}` : `~${major}${minor}${patch}`,
  );
}

/** Whether a file asks for one version, such as `20.11.0`. @returns that version */
export function exactVersion(wanted: WantedVersion): string | null {
  if (wanted.kind !== "range") return null;
  return /^[v=]*(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/.exec(wanted.range)?.[1] ?? null;
}

/** The major versions of Node that have or will have long-term support: every even one from 4 to 62. */
const ltsMajors = Array.from({ length: 30 }, (_, index) => 4 + 2 * index);

/** The range to compare versions with. */
export function rangeFor(wanted: WantedVersion): string {
  switch (wanted.kind) {
    case "newest":
      return "*";
    case "lts":
      return ltsMajors.join(" || ");
    case "range":
      return wanted.range;
  }
}
