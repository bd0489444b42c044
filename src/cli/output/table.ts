import { stripVTControlCharacters } from "node:util";

import type { Style } from "#cli/output/style.ts";

const GAP = "  ";

/** Columns below each other, under their names. @param width of the terminal: what is longer is cut off */
export function tableText(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  width: number,
): string {
  const widths = names.map((name, at) =>
    Math.max(lengthOf(name), ...rows.map((row) => lengthOf(row[at] ?? ""))),
  );
  const lines = [names.map(style.bold), ...rows].map((row) =>
    row.map((cell, at) => (at === names.length - 1 ? cell : pad(cell, widths[at] ?? 0))).join(GAP),
  );
  return lines.map((line) => cut(line.trimEnd(), width)).join("\n");
}

/** For programs: a line for each row, tabs between the cells, no heading. Its cells have no tabs in them. */
export function tabbedText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join("\t")).join("\n");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - lengthOf(cell)));
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
