import { markedEncoding } from "#build/tree/decode-text.ts";

/** The files in a site's folder that set its rules. They are never served. */
export const REDIRECTS_FILE = "_redirects";
export const HEADERS_FILE = "_headers";

/** A line that is not used. `reason`: a sentence for the person who wrote it. */
export type RuleProblem = { readonly line: number; readonly reason: string };

/** Longer lines are not read. */
const MAX_RULE_LINE = 2000;
/** The rest of a longer file is not read. */
export const MAX_RULE_FILE_BYTES = 1024 * 1024;

type Line = { readonly number: number; readonly text: string };

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;

/** The lines of a file that are neither empty nor comments, without the space around them. */
export function readRuleLines(file: Uint8Array): { lines: Line[]; problems: RuleProblem[] } {
  const problems: RuleProblem[] = [];
  const encoding = markedEncoding(file);
  if (encoding !== null)
    return { lines: [], problems: [{ line: 1, reason: `The file is ${encoding}. Save it as UTF-8.` }] };
  const isLong = file.length > MAX_RULE_FILE_BYTES;
  // Drops a byte-order mark.
  const texts = new TextDecoder()
    .decode(isLong ? file.subarray(0, MAX_RULE_FILE_BYTES) : file)
    .split(/\r\n?|\n/);
  if (isLong) {
    texts.pop();
    problems.push({
      line: texts.length + 1,
      reason: "The file is longer than 1 MiB. What follows is not used.",
    });
  }
  const lines: Line[] = [];
  for (const [index, text] of texts.entries()) {
    const line = { number: index + 1, text: text.trim() };
    if (line.text === "" || line.text.startsWith("#")) continue;
    const reason = unreadable(line.text);
    if (reason === null) lines.push(line);
    else problems.push({ line: line.number, reason });
  }
  return { lines, problems };
}

function unreadable(text: string): string | null {
  if (text.length > MAX_RULE_LINE) return `The line has more than ${MAX_RULE_LINE} characters.`;
  if (text.includes("\ufffd")) return "The line is not UTF-8.";
  if (CONTROL.test(text)) return "The line has control characters.";
  return null;
}

/** The value of a line, or why the line is not used. */
export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

export const refusedRule = (reason: string) => ({ ok: false, reason }) as const;

/** A piece of a line as it is shown in a message. */
export function quoted(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
