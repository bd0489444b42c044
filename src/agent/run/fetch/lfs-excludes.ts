/** The limit of all patterns together: the repository controls them, and matching takes time. */
const MOST_CHARACTERS = 4_000;

/**
 * Parses the output of `git config --get-all lfs.fetchexclude`: one line per setting, with comma-separated patterns.
 */
export function readExcludes(output: string): readonly string[] {
  let characters = 0;
  return output
    .split(/[\n,]/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "")
    .filter((pattern) => (characters += pattern.length) <= MOST_CHARACTERS);
}

/**
 * Whether a pattern matches a path. Patterns follow .gitignore: with a slash inside, a pattern starts at the root;
 * without one, it may match any part of the path. A match includes everything below.
 */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const isRooted = pattern.slice(0, -1).includes("/");
    return matches(path, toTokens(pattern.replace(/^\/|\/$/g, "")), isRooted);
  });
}

/** Splits a pattern into stars (one, two, or two with a slash), `?` and literal characters. */
function toTokens(pattern: string): readonly string[] {
  return pattern.match(/\*\*\/|\*\*|[^]/g) ?? [];
}

/**
 * Tracks all positions of the pattern that the path so far may have reached. A regular expression would try them one
 * by one, which takes exponential time with several stars.
 */
function matches(path: string, tokens: readonly string[], isRooted: boolean): boolean {
  let places = withSkippedStars(tokens, [0], true);
  for (let at = 0; at < path.length; at += 1) {
    const character = path.charAt(at);
    if (character === "/" && places.has(tokens.length)) return true;
    const next: number[] = [];
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if (token === "**" || token === "**/") next.push(place);
      else if (token === "*" && character !== "/") next.push(place);
      else if (token === "?" ? character !== "/" : token === character) next.push(place + 1);
    }
    if (!isRooted && character === "/") next.push(0);
    places = withSkippedStars(tokens, next, character === "/");
  }
  return places.has(tokens.length);
}

/** Adds the positions after stars that match nothing more. @param isPartStart whether a part of the path starts here */
function withSkippedStars(
  tokens: readonly string[],
  places: readonly number[],
  isPartStart: boolean,
): Set<number> {
  const entered = new Set<number>();
  for (let place of places)
    for (; !entered.has(place); place += 1) {
      entered.add(place);
      const token = tokens[place];
      if (token !== "*" && token !== "**" && !(token === "**/" && isPartStart)) break;
    }
  return entered;
}
