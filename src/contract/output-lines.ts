import { MAX_FAILING_LINE } from "#contract/endpoints/deployments/schemas.ts";

// What lines of a command's output mean. All functions take plain text, without colours.

/** How tools begin a warning: npm, pnpm, yarn, compilers, pip, PHP, Node, Ruby and Sass. */
const WARNING =
  /^(?:npm warn\b|\s*warn(?:ing)?(?::|\s|$)|.{0,200}\bwarning:\s|\s*\(node:\d+\) |\s*\(use `node --trace-|\s*\[?(?:dep\d{4}|deprecat(?:ed|ion))\b|\s*⚠|package .{1,200} is abandoned)/i;

/** Words of lines about a failure, and how test runners begin the line of a failed test. */
const ERROR =
  /error\b|exception\b|\b(?:fatal|failed|failure|panic|traceback)\b|npm err!|^\s*(?:not ok \d|✖ |fail )/i;

/** Tools print these also when nothing went wrong. */
const NO_ERROR = /\b(?:0|no|without) (?:errors?|failed|failures?)\b/i;

/** Whether the line looks like one about a failure. */
export function looksLikeError(line: string): boolean {
  return ERROR.test(line) && !NO_ERROR.test(line);
}

/** Whether the line is a warning. One that also looks like an error is none. */
export function isWarning(line: string): boolean {
  return WARNING.test(line) && !looksLikeError(line);
}

/** Lines about a failure that do not say what failed. Node prints the line of its own code that throws an error. */
const VAGUE =
  /^\s*(?:triggerUncaughtException\(|throw )|^npm (?:error|err!)(?: (?:code|errno|syscall|path|command|workspace|location)\b| *$)|^\s*traceback\b|^\s*at |complete log of this run/i;

/** Messages about a failure that do not have a word for it. */
const PROBLEM =
  /not found\b|\bno such\b|\b(?:cannot|could not|can't|unable to)\b|\bdenied\b|\bmissing\b|^\s*killed\b/i;

/**
 * The line that most likely says why a command failed: the first of its last lines that looks like an error, and
 * otherwise the last one. A line that ends with a colon continues in the next one.
 * @returns null if there is no line
 */
export function failingLine(output: string): string | null {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const find = (says: (line: string) => boolean) =>
    lines.findIndex((line) => says(line) && !VAGUE.test(line) && !WARNING.test(line));
  const found = [find(looksLikeError), find((line) => PROBLEM.test(line))].find((at) => at >= 0);
  const at = found ?? lines.length - 1;
  const line = lines[at]?.trim();
  if (line === undefined) return null;
  const next = line.endsWith(":") ? (lines[at + 1]?.trim() ?? "") : "";
  return `${line} ${next}`.trim().slice(0, MAX_FAILING_LINE).toWellFormed();
}
