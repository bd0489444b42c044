import { beginningAtEnd, type Mask } from "#contract/mask.ts";

/** Shorter values are not masked, because they would hide ordinary words all over a log. */
const SHORTEST_MASKED = 6;

/**
 * Creates a mask for the values of secrets: whole values, and each line of a value with several lines, because commands
 * print line by line; as they are, in an address and in JSON. All are found in one pass over the text.
 * @param first the mask that is applied before
 */
export function maskSecrets(values: readonly string[], first: Mask): Mask {
  const parts = values.flatMap((value) => [value, value.trim(), ...value.split(/\r?\n/)]);
  const texts = [...new Set(parts.flatMap(written))]
    .filter((text) => text.trim().length >= SHORTEST_MASKED)
    // Longest first: one value may be the beginning of another, whose end would stay visible.
    .toSorted((a, b) => b.length - a.length);
  if (texts.length === 0) return first;
  return (text, isCut = false) => {
    const masked = hideAll(first(text, isCut), texts);
    return isCut ? maskBeginning(masked, texts) : masked;
  };
}

/** The usual ways to print a value. */
function written(value: string): readonly string[] {
  return [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)];
}

/**
 * Hides the values in one pass. A single pattern of all values would fail: the engine refuses patterns of about 30 kB
 * and more, with an error that quotes them.
 * @param values the longest first, so that it wins where two begin at the same place
 */
function hideAll(text: string, values: readonly string[]): string {
  const found = values.map((value) => ({ value, at: text.indexOf(value) })).filter(({ at }) => at !== -1);
  let masked = "";
  let end = 0;
  while (true) {
    const next = found.reduce<(typeof found)[number] | null>(
      (best, one) => (one.at !== -1 && (best === null || one.at < best.at) ? one : best),
      null,
    );
    if (next === null) return masked + text.slice(end);
    masked += `${text.slice(end, next.at)}***`;
    end = next.at + next.value.length;
    for (const one of found) if (one.at !== -1 && one.at < end) one.at = text.indexOf(one.value, end);
  }
}

/** Hides the beginning of a value at the end of a text that was cut off. */
function maskBeginning(text: string, values: readonly string[]): string {
  const longest = Math.max(0, ...values.map((value) => beginningAtEnd(text, { before: "", text: value })));
  return longest === 0 ? text : `${text.slice(0, -longest)}***`;
}
