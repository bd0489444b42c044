/** A path with `*` and `:name`, as an expression for JavaScript's and Go's `regexp` alike. */
export type PathPattern = {
  /** Without flags. Its groups have no names, because the two spell them in different ways. */
  readonly source: string;
  /** The names of the groups, in their order: `splat` for `*`. */
  readonly names: readonly string[];
};

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "splat" }
  | { readonly kind: "placeholder"; readonly name: string };

/** A placeholder begins after a character that is no letter or digit: `Special:Random` of a wiki is a text. */
const PART = /\*|(?<![A-Za-z0-9]):([A-Za-z][A-Za-z0-9_]*)/g;

function partsOf(path: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of path.matchAll(PART)) {
    if (match.index > end) parts.push({ kind: "text", text: path.slice(end, match.index) });
    parts.push(match[1] === undefined ? { kind: "splat" } : { kind: "placeholder", name: match[1] });
    end = match.index + match[0].length;
  }
  if (end < path.length) parts.push({ kind: "text", text: path.slice(end) });
  return parts;
}

/** What a path leaves open, in its order: `splat` for `*`. */
export function namesIn(path: string): string[] {
  // Most of thousands of paths.
  if (!/[*:]/.test(path)) return [];
  return partsOf(path).flatMap((part) => {
    if (part.kind === "text") return [];
    return part.kind === "splat" ? "splat" : part.name;
  });
}

/** A path in which the names of placeholders make no difference. */
export function withoutNames(path: string): string {
  return path.replaceAll(PART, (part) => (part === "*" ? part : ":"));
}

/**
 * What a pattern is compared with. `encoded`: a path in the spelling of `encodePath`. `decoded`: a path without encoding.
 * `printable`: the same, but what `*` and placeholders stand for is ASCII, because it becomes part of a header.
 */
export type PatternKind = keyof typeof classes;
const classes = {
  encoded: { segment: "[^/]+", first: "[^/]", rest: ".*" },
  decoded: { segment: "[^/]+", first: "[^/]", rest: String.raw`[\s\S]*` },
  printable: { segment: "[ -.0-~]+", first: "[ -.0-~]", rest: "[ -~]*" },
} as const;

export type SplatPlace = "anywhere" | "after a slash" | "between slashes";

/** Where a target has what `*` matches. */
export function splatPlaceIn(to: string): SplatPlace {
  if (/^\/(?::splat)+\//.test(to)) return "between slashes";
  return to.includes("/:splat") ? "after a slash" : "anywhere";
}

/**
 * The expression for a path that `readSource` has read. `/old` also matches `/old/`, and `/blog/*` also `/blog`. The
 * match of a `*` after a slash does not begin with a slash, so that no target becomes `//other.example`, which is
 * another host. @param splatPlace where the match is in the target: anywhere, after a slash, or between the first two
 * slashes, where it must not be empty
 */
export function pathPattern(
  path: string,
  kind: PatternKind,
  splatPlace: SplatPlace = "anywhere",
): PathPattern {
  const { segment, first, rest } = classes[kind];
  const needsText = splatPlace === "between slashes";
  const splat = needsText ? `(${first}${rest})` : `((?:${first}${rest})?)`;
  const parts = partsOf(path);
  let source = "";
  for (const [index, part] of parts.entries()) {
    switch (part.kind) {
      case "text":
        source += escapePattern(kind === "encoded" ? part.text : decodeURIComponent(part.text));
        break;
      case "placeholder":
        source += `(${segment})`;
        break;
      case "splat": {
        const next = parts[index + 1];
        const isWhole = next === undefined || (next.kind === "text" && next.text.startsWith("/"));
        if (!source.endsWith("/")) source += splatPlace === "anywhere" ? `(${rest})` : `/*${splat}`;
        else if (isWhole && source !== "/" && !needsText) source = `${source.slice(0, -1)}(?:/+${splat})?`;
        else source = `${source.slice(0, -1)}/+${splat}`;
      }
    }
  }
  const end = parts.at(-1)?.kind === "splat" || path === "/" ? "" : "/?";
  return { source: `^${source}${end}$`, names: namesIn(path) };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const NAME = /:([A-Za-z][A-Za-z0-9_]*)/g;

/** Replaces each `:name` of a template that a pattern has. Other words after a colon are text. */
export function fillIn(
  template: string,
  names: readonly string[],
  valueOf: (group: number) => string,
): string {
  return template.replaceAll(NAME, (text, name: string) => {
    const at = names.indexOf(name);
    return at === -1 ? text : valueOf(at + 1);
  });
}

/** Whether a template has a `:name` of these. */
export function usesAny(template: string, names: readonly string[]): boolean {
  return [...template.matchAll(NAME)].some(([, name = ""]) => names.includes(name));
}

/** Other characters of a path are encoded, as in Go's `net/url`, which Caddy uses. */
const NOT_IN_PATH = /[^A-Za-z0-9\-._~$&+,/:;=@]/gu;

/** The canonical spelling of a path. @param decoded without encoding */
export function encodePath(decoded: string): string {
  return decoded.toWellFormed().replaceAll(NOT_IN_PATH, encodeCharacter);
}

/** The spelling of an encoded path. @returns null if the encoded bytes are not UTF-8 */
export function respell(encoded: string): string | null {
  try {
    return encodePath(decodeURIComponent(encoded.replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25")));
  } catch {
    return null;
  }
}

const NOT_IN_TARGET = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%?#]/gu;

/** Encodes what an address must not contain, such as spaces and braces, and a percent sign that begins no encoding. */
export function encodeTarget(target: string): string {
  return target
    .toWellFormed()
    .replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25")
    .replaceAll(NOT_IN_TARGET, encodeCharacter);
}

function encodeCharacter(character: string): string {
  return encodeURIComponent(character).replaceAll(
    /[!'()*]/g,
    (left) => `%${left.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
