/**
 * Whether patterns select a name, such as a branch's. `*` is any text without `/`, `**` any text, `?` one character
 * that is not `/`. `**` with a `/` after it also matches nothing, so that `**` + `/a` matches `a`. The last pattern
 * that matches decides: a pattern with `!` in front excludes the name.
 */
export function selectsName(patterns: readonly string[], name: string): boolean {
  return selectedBy(patterns.map(compile), name, "whole");
}

/** As `selectsName` for the path of a file. A pattern that matches a folder matches everything in it. */
export function selectsPath(patterns: readonly string[]): (path: string) => boolean {
  const compiled = patterns.map(compile);
  return (path) => selectedBy(compiled, path, "folders");
}

type Token = { readonly kind: "character"; readonly character: string } | { readonly kind: Wildcard };
/** `option`: the next two tokens may be left out. */
type Wildcard = "one" | "many" | "any" | "option";

type Pattern = {
  readonly includes: boolean;
  /** The text before the first wildcard. Most names do not begin with it, so they are rejected quickly. */
  readonly prefix: string;
  readonly tokens: readonly Token[];
};

function compile(written: string): Pattern {
  const includes = !written.startsWith("!");
  // A slash at either end of a path has no meaning: all patterns begin at the root.
  const text = (includes ? written : written.slice(1)).replace(/^\/|\/$/g, "");
  const tokens = (text.match(/\*\*\/|\*\*+|\*|\?|[^]/gu) ?? []).flatMap(tokensOf);
  return { includes, prefix: /^[^*?]*/.exec(text)?.[0] ?? "", tokens };
}

function tokensOf(part: string): Token[] {
  if (part === "**/") return [{ kind: "option" }, { kind: "any" }, { kind: "character", character: "/" }];
  if (part.startsWith("**")) return [{ kind: "any" }];
  if (part === "*") return [{ kind: "many" }];
  return [part === "?" ? { kind: "one" } : { kind: "character", character: part }];
}

function selectedBy(patterns: readonly Pattern[], text: string, extent: "whole" | "folders"): boolean {
  return patterns.findLast((pattern) => matches(pattern, text, extent))?.includes ?? false;
}

/**
 * Follows all ways to match at once instead of in sequence, so that no pattern takes more steps than its length for
 * each character of the text.
 */
function matches({ prefix, tokens }: Pattern, text: string, extent: "whole" | "folders"): boolean {
  if (!text.startsWith(prefix)) return false;
  let reached = withSkipped(tokens, new Set([0]));
  for (const character of text) {
    if (extent === "folders" && character === "/" && reached.has(tokens.length)) return true;
    const next = new Set<number>();
    for (const at of reached) {
      const token = tokens[at];
      const step = token === undefined ? null : advance(token, character);
      if (step !== null) next.add(at + step);
    }
    if (next.size === 0) return false;
    reached = withSkipped(tokens, next);
  }
  return reached.has(tokens.length);
}

/** How many tokens the match advances when `token` meets the character; null if it does not match. */
function advance(token: Token, character: string): number | null {
  switch (token.kind) {
    case "character":
      return token.character === character ? 1 : null;
    case "one":
      return character === "/" ? null : 1;
    case "many":
      return character === "/" ? null : 0;
    case "any":
      return 0;
    case "option":
      return null;
  }
}

/** Adds the tokens after tokens that may match nothing. */
function withSkipped(tokens: readonly Token[], reached: Set<number>): Set<number> {
  // A loop over a set also visits members that are added during it.
  for (const at of reached) {
    const kind = tokens[at]?.kind;
    if (kind === "many" || kind === "any" || kind === "option") reached.add(at + 1);
    if (kind === "option") reached.add(at + 3);
  }
  return reached;
}
