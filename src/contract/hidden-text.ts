// Characters that nobody sees, or that change the order in which others are shown. With them one name looks like another,
// and `fix<U+202E>txt.exe` reads as something else. Sources: Unicode Bidi_Control and Default_Ignorable_Code_Point
// (UAX #44), UTS #39 section 3, and for what stays allowed RFC 5892 appendix A and UTS #51.

/**
 * The hidden ones are in the group. U+2028 and U+2029 break a line, U+FFF9 to U+FFFB hide an annotation, U+2800 is blank.
 * Before them stand those that a text could not be written without, in this order: a joiner or non-joiner inside a word
 * of the scripts from Arabic to Myanmar and from Khmer to Mongolian; the shape of a Mongolian letter; what joins several
 * emoji to one; how an emoji is shown; a key with a digit.
 */
const ALLOWED_OR_HIDDEN =
  /(?<=[\u0600-\u109f\u1780-\u18af])[\u200c\u200d](?=[\u0600-\u109f\u1780-\u18af])|(?<=[\u1820-\u18af])[\u180b-\u180d]|(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)|([\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb\u2800])/gu;

/** The first hidden character of a text, as `U+202E`; null where it has none. */
export function firstHidden(text: string): string | null {
  for (const [, hidden] of text.matchAll(ALLOWED_OR_HIDDEN)) if (hidden !== undefined) return nameOf(hidden);
  return null;
}

/** A text that others wrote, with each hidden character named: `fix[U+202E]txt.exe`. */
export function withHiddenShown(text: string): string {
  return text.replace(ALLOWED_OR_HIDDEN, (match, hidden?: string) =>
    hidden === undefined ? match : `[${nameOf(hidden)}]`,
  );
}

/** A text without hidden characters. */
export function withoutHidden(text: string): string {
  return text.replace(ALLOWED_OR_HIDDEN, (match, hidden?: string) => (hidden === undefined ? match : ""));
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
