/** A text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same, without quotes around a text that needs none: as a person types it, and as a server's policy lists it. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) || /^--?[\w-]+=[\w@%+:,./-]*$/.test(text) ? text : shellQuote(text);
}
