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
  const pattern = new RegExp(texts.map(escaped).join("|"), "g");
  return (text, isCut = false) => {
    const masked = first(text, isCut).replace(pattern, "***");
    return isCut ? maskBeginning(masked, texts) : masked;
  };
}

/** The usual ways to print a value. */
function written(value: string): readonly string[] {
  return [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)];
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

/** Hides the beginning of a value at the end of a text that was cut off. */
function maskBeginning(text: string, values: readonly string[]): string {
  const longest = Math.max(0, ...values.map((value) => beginningAtEnd(text, { before: "", text: value })));
  return longest === 0 ? text : `${text.slice(0, -longest)}***`;
}
