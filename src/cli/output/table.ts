import { stripVTControlCharacters } from "node:util";

import type { Style } from "#cli/output/style.ts";

const GAP = "  ";

/** No column is made smaller than this to make room for others. */
const LEAST_WIDTH = 16;

/**
 * Columns below each other, under their names.
 * @param width of the terminal: what is longer is cut off. One long cell must not push the other columns out of sight, so
 *   the widest columns give way before; the last has what they leave.
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
  const last = widths.pop() ?? 0;
  giveWay(widths, width - Math.min(last, LEAST_WIDTH));
  const lines = [names.map(style.bold), ...rows].map((row) =>
    row.map((cell, at) => fitted(cell, widths[at])).join(GAP),
  );
  return lines.map((line) => cut(line.trimEnd(), width)).join("\n");
}

/** For programs: a line for each row, tabs between the cells, no heading. Its cells have no tabs in them. */
export function tabbedText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join("\t")).join("\n");
}

/** Makes the widest smaller, until all of them and their gaps fit. */
function giveWay(widths: number[], width: number): void {
  let over = widths.reduce((sum, each) => sum + each + GAP.length, 0) - width;
  for (; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_WIDTH) return;
    widths[widths.indexOf(widest)] = widest - 1;
  }
}

/** @param width undefined: of the last column, which takes as much as it does */
function fitted(cell: string, width: number | undefined): string {
  if (width === undefined) return cell;
  const shown = cut(cell, width);
  return shown + " ".repeat(Math.max(0, width - lengthOf(shown)));
}

/** Characters as a terminal shows them: an accent goes with its letter, and some take two columns. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const { segment } of segments(stripVTControlCharacters(text))) length += isWide(segment) ? 2 : 1;
  return length;
}

const segmenter = new Intl.Segmenter();
const segments = (text: string) => segmenter.segment(text);

/** Emoji, and the scripts of East Asia. */
function isWide(segment: string): boolean {
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    segment,
  );
}

/** Cuts a line to a width, without cutting a colour in two. */
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
