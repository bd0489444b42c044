/**
 * Splits arguments at spaces outside of quotes. Quotes stay, as does the character that continues lines, which also escapes.
 * Never throws.
 */
export function splitWords(text: string, escape: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (quote === null && /\s/.test(char)) {
      if (word !== "") words.push(word);
      word = "";
      continue;
    }
    word += char;
    if (char === escape && quote !== "'") {
      at += 1;
      word += text[at] ?? "";
    } else if (quote === char) quote = null;
    else if (quote === null && (char === '"' || char === "'")) quote = char;
  }
  return word === "" ? words : [...words, word];
}

/** Whether a quote or a `${` in a text does not end. BuildKit finds no words in such a text. */
export function isUnclosed(text: string, escape: string): boolean {
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === escape && quote !== "'") at += 1;
    else if (quote === char) quote = null;
    else if (quote === null && (char === '"' || char === "'")) quote = char;
  }
  return quote !== null || text.replace(/\$\{\w+(?:[:#%/+?-][^{}]*)?\}/g, "").includes("${");
}

/** A word without its quotes and escapes. */
export function unquote(word: string, escape: string): string {
  let text = "";
  let quote: string | null = null;
  for (let at = 0; at < word.length; at += 1) {
    const char = word[at] ?? "";
    if (char === escape && quote !== "'") {
      at += 1;
      text += word[at] ?? "";
    } else if (quote === char) quote = null;
    else if (quote === null && (char === '"' || char === "'")) quote = char;
    else text += char;
  }
  return text;
}

/** The options at the beginning of an instruction's arguments, such as `--mount=type=cache`, and the rest. */
export function splitFlags(
  text: string,
  escape: string,
): { readonly flags: readonly string[]; readonly rest: string } {
  const flags: string[] = [];
  let at = 0;
  while (text.startsWith("--", at)) {
    const end = wordEnd(text, at, escape);
    flags.push(unquote(text.slice(at, end), escape));
    at = end;
    while (/\s/.test(text[at] ?? "")) at += 1;
  }
  return { flags, rest: text.slice(at) };
}

/** Where the word that begins at an index ends. */
function wordEnd(text: string, from: number, escape: string): number {
  let quote: string | null = null;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (quote === null && /\s/.test(char)) return at;
    if (char === escape && quote !== "'") at += 1;
    else if (quote === char) quote = null;
    else if (quote === null && (char === '"' || char === "'")) quote = char;
  }
  return text.length;
}

/**
 * Replaces `$NAME`, `${NAME}`, `${NAME:-otherwise}` and `${NAME:+instead}` by known values.
 * @returns null if a value is unknown
 */
export function expand(text: string, values: ReadonlyMap<string, string | null>): string | null {
  let isKnown = true;
  const valueOf = (name: string, sign: string | undefined, other: string) => {
    const value = values.get(name) ?? "";
    if (sign === ":-" || sign === "-") return value === "" ? other : value;
    if (sign === ":+" || sign === "+") return value === "" ? "" : other;
    if (value === "") isKnown = false;
    return value;
  };
  const expanded = text.replace(
    /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-+])([^{}]*))?\})/g,
    (_, plain: string | undefined, braced: string | undefined, sign: string | undefined, other = "") =>
      valueOf(plain ?? braced ?? "", sign, String(other)),
  );
  return isKnown && !expanded.includes("$") ? expanded : null;
}
