import { MAX_FAILING_LINE } from "#contract/endpoints/deployments/schemas.ts";
import { errorRank } from "#contract/output-lines.ts";

/** Lines of an output about its first error, as indexes from 0. `at`: the line that says it; `end` is not included. */
export type ErrorExcerpt = { readonly first: number; readonly at: number; readonly end: number };

const MAX_LINES = 12;
/** Lines before the line with the error. */
const MAX_BEFORE = 2;
/** The indented lines of a code frame after it. */
const MAX_FRAME = 4;
/** The most calls in libraries that are shown between the error and the project's own call. */
const MAX_FOREIGN = 3;
/** The longest traceback that is searched for its exception. */
const MAX_TRACEBACK = 200;

/** How many lines around a line `excerptAround` looks at. */
export const EXCERPT_REACH = { before: MAX_FRAME, after: MAX_TRACEBACK + MAX_LINES };

/** The first of the lines that say most clearly what failed, with its context. @returns null if no line does */
export function firstErrorIn(lines: readonly string[]): ErrorExcerpt | null {
  let found: { readonly at: number; readonly rank: number } | null = null;
  for (const [at, line] of lines.entries()) {
    const rank = errorRank(line);
    if (rank === 1) return excerptAround(lines, at);
    if (rank !== null && rank < (found?.rank ?? Infinity)) found = { at, rank };
  }
  return found === null ? null : excerptAround(lines, found.at);
}

/** The line of an error with the lines that explain it: its code frame, its details, and the calls in the project. */
export function excerptAround(lines: readonly string[], found: number): ErrorExcerpt {
  const traceback = exceptionBelow(lines, found);
  if (traceback !== null) {
    const first = Math.max(found, traceback - MAX_LINES + 2);
    return { first, at: traceback, end: traceback + 1 };
  }
  const first = firstBefore(lines, found);
  return { first, at: found, end: endAfter(lines, found, first + MAX_LINES) };
}

/** The exception at the end of a Python traceback; null if the line does not begin one. */
function exceptionBelow(lines: readonly string[], begin: number): number | null {
  const head = lines[begin] ?? "";
  if (!/^\s*traceback \(most recent/i.test(head)) return null;
  const indent = indentOf(head);
  const last = Math.min(lines.length, begin + MAX_TRACEBACK);
  for (let at = begin + 1; at < last; at += 1) {
    const line = lines[at] ?? "";
    if (line.trim() !== "" && indentOf(line) <= indent) return at;
  }
  return null;
}

/** Where a code frame and other lines directly before the error begin. */
function firstBefore(lines: readonly string[], at: number): number {
  const indent = indentOf(lines[at] ?? "");
  let first = at;
  while (first > 0 && at - first < MAX_FRAME) {
    const line = lines[first - 1] ?? "";
    const isFrame = indentOf(line) > indent || isCaret(line) || isCaret(lines[first] ?? "");
    if (line.trim() === "" ? !isCaret(lines[first - 2] ?? "") : isNpmLine(line)) break;
    if (line.trim() !== "" && !isFrame && at - first >= MAX_BEFORE && !isCodePlace(line)) break;
    first -= 1;
  }
  // Node shows its own code where the error was thrown inside of it.
  const isInternal = lines.slice(first, at).some((line) => line.startsWith("node:"));
  return isInternal ? at : first;
}

/** Where the details after the error end: before help texts, calls in libraries, and a second blank line. */
function endAfter(lines: readonly string[], at: number, limit: number): number {
  let end = at + 1;
  let foreign = 0;
  for (let next = at + 1; next < Math.min(limit, lines.length); next += 1) {
    const line = lines[next] ?? "";
    if (isHelp(line) || (isBlank(line) && isBlank(lines[next - 1] ?? ""))) break;
    foreign = isForeign(line) ? foreign + 1 : 0;
    if (foreign > MAX_FOREIGN) break;
    if (!isBlank(line) && foreign === 0) end = next + 1;
  }
  return end;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A line that underlines the place of an error in the line before it. */
function isCaret(line: string): boolean {
  return /^[\s|]*[\^~]+\s*$/.test(line);
}

/** Where the code of a frame is, as Node writes it: `/srv/app/build.js:3`. */
function isCodePlace(line: string): boolean {
  return /^\S+:\d+$/.test(line);
}

/** A line of an earlier message of npm, which does not belong to the error. */
function isNpmLine(line: string): boolean {
  return /^npm (?:error|err!|warn)\b/i.test(line);
}

function isBlank(line: string): boolean {
  return /^(?:npm (?:error|err!))?\s*$/i.test(line);
}

const HELP =
  /^npm (?:error|err!) (?:clean install a project|usage:?|options:|aliases|run "npm help|to see a list of scripts|a complete log)|^node\.js v\d|^for more information about this error|^make(?:\[\d+\])?: \*\*\* /i;

/** What a tool prints after each of its errors, such as its options. */
function isHelp(line: string): boolean {
  return HELP.test(line);
}

/** A call in Node itself or in a library. */
function isForeign(line: string): boolean {
  return /^\s+at .*(?:\bnode:|[/\\]node_modules[/\\])/i.test(line);
}

/**
 * The line that most likely says why a command failed: the first of its last lines that names an error, and otherwise
 * the last one. A line that ends with a colon continues in the next one.
 * @returns null if there is no line
 */
export function failingLine(output: string): string | null {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const at = firstErrorIn(lines)?.at ?? lines.length - 1;
  const line = lines[at]?.trim();
  if (line === undefined) return null;
  const next = line.endsWith(":") ? (lines[at + 1]?.trim() ?? "") : "";
  return `${line} ${next}`.trim().slice(0, MAX_FAILING_LINE).toWellFormed();
}
