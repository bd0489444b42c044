/** Patterns that are longer in all are not read to their end: the repository says them, and matching takes time. */
const MOST_CHARACTERS = 4_000;

/** What `git config --get-all lfs.fetchexclude` prints: a line for each setting, and patterns between commas in it. */
export function readExcludes(output: string): readonly string[] {
  let characters = 0;
  return output
    .split(/[\n,]/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "")
    .filter((pattern) => (characters += pattern.length) <= MOST_CHARACTERS);
}

/**
 * Whether one of the patterns stands for a path. They are as in .gitignore: with a slash within it a pattern begins at the
 * root, without one it may stand for any part of the path, and what it stands for includes all that is below.
 */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const isRooted = pattern.slice(0, -1).includes("/");
    return matches(path, toTokens(pattern.replace(/^\/|\/$/g, "")), isRooted);
  });
}

/** Stars, also two of them and with a slash behind them, `?`, or one character that stands for itself. */
function toTokens(pattern: string): readonly string[] {
  return pattern.match(/\*\*\/|\*\*|[^]/g) ?? [];
}

/**
 * Keeps all places of the pattern that the path so far may have reached. A regular expression would try them one after the
 * other, which takes exponential time with several stars.
 */
function matches(path: string, tokens: readonly string[], isRooted: boolean): boolean {
  let places = enter(tokens, [0], true);
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
    places = enter(tokens, next, character === "/");
  }
  return places.has(tokens.length);
}

/** Adds the places behind stars that stand for nothing more. @param isPartStart whether a part of the path begins here */
function enter(tokens: readonly string[], places: readonly number[], isPartStart: boolean): Set<number> {
  const entered = new Set<number>();
  for (let place of places)
    for (; !entered.has(place); place += 1) {
      entered.add(place);
      const token = tokens[place];
      if (token !== "*" && token !== "**" && !(token === "**/" && isPartStart)) break;
    }
  return entered;
}
