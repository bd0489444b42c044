import { stripVTControlCharacters } from "node:util";

import type { Style } from "#cli/output/style.ts";

const GAP = "  ";

/** Columns are not shrunk below this width. */
const LEAST_WIDTH = 16;

/** A part of an id is useless, so a column of ids is never shrunk. */
const ID = /\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}\b/;

/**
 * Formats rows as aligned columns under headings.
 * @param width of the terminal. Longer lines are truncated. First the widest columns are shrunk, so that one long cell
 *   does not push the other columns out of sight. The last column gets the remaining width. If it has ids and is too
 *   wide, each id has its own line below its row.
 */
export function tableText(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  width: number,
): string {
  const widths = names.map((name, at) =>
    rows.reduce((widest, row) => Math.max(widest, lengthOf(row[at] ?? "")), lengthOf(name)),
  );
  const hasIds = names.map((_, at) => rows.some((row) => ID.test(stripVTControlCharacters(row[at] ?? ""))));
  const isEndingWithIds = hasIds.at(-1) === true;
  const last = widths.pop() ?? 0;
  const fits = shrinkColumns(widths, hasIds, width - (isEndingWithIds ? last : Math.min(last, LEAST_WIDTH)));
  if (isEndingWithIds && !fits) return withIdsBelow(names, rows, style, width);
  const lines = [names.map(style.bold), ...rows].map((row) =>
    row.map((cell, at) => fitted(cell, widths[at])).join(GAP),
  );
  return lines.map((line) => cut(line.trimEnd(), width)).join("\n");
}

function withIdsBelow(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  width: number,
): string {
  const others = rows.map((row) => row.slice(0, -1));
  const [head, ...lines] = tableText(names.slice(0, -1), others, style, width).split("\n");
  return [head, ...lines.flatMap((line, at) => [line, `${GAP}${rows[at]?.at(-1) ?? ""}`])].join("\n");
}

/** Formats rows for programs: one per line, cells separated by tabs, no headings. Cells must not contain tabs. */
export function tabbedText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join("\t")).join("\n");
}

/**
 * Shrinks the widest columns until all columns and their gaps fit into `width`.
 * @param isKept the columns that keep their width
 * @returns whether they fit
 */
function shrinkColumns(widths: number[], isKept: readonly boolean[], width: number): boolean {
  let over = widths.reduce((sum, each) => sum + each + GAP.length, 0) - width;
  for (; over > 0; over -= 1) {
    const widest = Math.max(0, ...widths.filter((_, at) => isKept[at] !== true));
    if (widest <= LEAST_WIDTH) return false;
    const shrunk = widths.findIndex((each, at) => each === widest && isKept[at] !== true);
    widths[shrunk] = widest - 1;
  }
  return true;
}

/** Truncates or pads a cell. @param width undefined for the last column, which is not padded */
function fitted(cell: string, width: number | undefined): string {
  if (width === undefined) return cell;
  const shown = cut(cell, width);
  return shown + " ".repeat(Math.max(0, width - lengthOf(shown)));
}

/** The width of a text in terminal columns: a letter with its accent counts once, a wide character twice. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const { segment } of segments(stripVTControlCharacters(text))) length += isWide(segment) ? 2 : 1;
  return length;
}

let segmenter: Intl.Segmenter | null = null;

function segments(text: string): Intl.Segments {
  // Creating it takes 2 ms, which commands without a table do not need.
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** Emoji and East Asian scripts. */
function isWide(segment: string): boolean {
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    segment,
  );
}

/** Truncates a line to a width, without splitting a colour sequence. */
export function cut(line: string, width: number): string {
  if (lengthOf(line) <= width) return line;
  let left = width - 1;
  let text = "";
  // oxlint-disable-next-line no-control-regex
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    if (part.startsWith("\u001b[")) {
      text += part;
      continue;
    }
    for (const { segment } of segments(part)) {
      left -= isWide(segment) ? 2 : 1;
      if (left < 0) break;
      text += segment;
    }
    if (left < 0) break;
  }
  return `${text}…${line.includes("\u001b[") ? "\u001b[0m" : ""}`;
}
