/** `word`: a name, a number or a keyword. `mark`: punctuation, one character except `...` and `=>`. */
export type ConfigToken = { readonly kind: "word" | "string" | "mark"; readonly text: string };

/** Each alternative also matches an unfinished token, so that no text is scanned twice. */
const token =
  /(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|`[^`\\]*(?:\\[\s\S][^`\\]*)*`?)|(?<word>[\p{L}\p{N}_$]+)|\.\.\.|=>|[\s\S]/uy;

const expression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\]?)+\/?[a-z]*/y;

/** What a regular expression can follow. After anything else, a slash divides. */
const beforeExpression = new Set([
  "(",
  ",",
  "=",
  ":",
  "[",
  "!",
  "&",
  "|",
  "?",
  "{",
  "}",
  ";",
  "=>",
  "return",
]);

/**
 * Splits JavaScript or TypeScript into tokens, without comments and regular expressions. A string has its text as
 * written between the quotes; a template with `${` is a mark, because its value is unknown. Takes linear time.
 */
export function* tokensOf(text: string): Generator<ConfigToken> {
  let previous = ";";
  let at = 0;
  while (at < text.length) {
    if (text[at] === "/" && beforeExpression.has(previous) && !/^\/[/*]/.test(text.slice(at, at + 2))) {
      expression.lastIndex = at;
      if (expression.test(text)) {
        at = expression.lastIndex;
        previous = "/";
        continue;
      }
    }
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) return;
    at = token.lastIndex;
    const { space, string, word } = found.groups ?? {};
    if (space !== undefined) continue;
    previous = found[0];
    if (word !== undefined) yield { kind: "word", text: word };
    else if (string === undefined || /^`[\s\S]*\$\{/.test(string)) yield { kind: "mark", text: found[0] };
    else yield { kind: "string", text: string.slice(1, -1) };
  }
}
