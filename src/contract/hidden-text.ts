// Invisible characters, and characters that change the text direction. With them, two different names can look the same,
// and `fix<U+202E>txt.exe` is displayed in another order. Sources: Unicode Bidi_Control and Default_Ignorable_Code_Point
// (UAX #44), UTS #39 section 3; for the allowed ones RFC 5892 appendix A and UTS #51.

/**
 * The capturing group matches hidden characters. U+2028 and U+2029 break a line, U+FFF9 to U+FFFB hide an annotation,
 * U+2800 is blank. The alternatives before it match allowed uses, in this order: a joiner or non-joiner inside a word of
 * the scripts from Arabic to Myanmar and from Khmer to Mongolian; the shape of a Mongolian letter; a joiner between emoji;
 * the presentation of an emoji; a keycap.
 */
const ALLOWED_OR_HIDDEN =
  /(?<=[\u0600-\u109f\u1780-\u18af])[\u200c\u200d](?=[\u0600-\u109f\u1780-\u18af])|(?<=[\u1820-\u18af])[\u180b-\u180d]|(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)|([\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb\u2800])/gu;

/** The first hidden character of a text, such as `U+202E`; null if there is none. */
export function firstHidden(text: string): string | null {
  for (const [, hidden] of text.matchAll(ALLOWED_OR_HIDDEN)) if (hidden !== undefined) return nameOf(hidden);
  return null;
}

/** Replaces each hidden character of a text with its name: `fix[U+202E]txt.exe`. */
export function withHiddenShown(text: string): string {
  return text.replace(ALLOWED_OR_HIDDEN, (match, hidden?: string) =>
    hidden === undefined ? match : `[${nameOf(hidden)}]`,
  );
}

/** Removes the hidden characters of a text. */
export function withoutHidden(text: string): string {
  return text.replace(ALLOWED_OR_HIDDEN, (match, hidden?: string) => (hidden === undefined ? match : ""));
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
