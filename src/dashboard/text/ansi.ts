import { oneLine, startOfShown } from "#contract/log-text.ts";
import {
  applySgr,
  type Colour,
  isPlainStyle,
  plainStyle,
  readableStyle,
  type TextStyle,
} from "#contract/text-style.ts";

/** A part of a line in one style. `classes` has the terminal's 16 colors; `color` and `background` others, as CSS. */
export type Piece = {
  readonly text: string;
  readonly classes: string;
  readonly color: string | null;
  readonly background: string | null;
};

/** The control sequences of ECMA-48: CSI, OSC and the short ones. The first group has the parameters of an SGR. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[([\d;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f\u0080-\u009f]/g;

/** Nearly all lines of output: they have nothing to escape. */
const ORDINARY = /^[\t -~]*$/;

/**
 * The text between control sequences, as shown. Characters that break the line or reverse its direction are escaped:
 * the log shows each line in one row, and the text would cover the next row.
 */
function readable(text: string): string {
  return ORDINARY.test(text) ? text : oneLine(text.replace(CONTROL, ""));
}

/** A line's text without control sequences. */
export function plainText(line: string): string {
  const shown = line.slice(startOfShown(line));
  return readable(shown.includes("\u001b") ? shown.replace(SEQUENCE, "") : shown);
}

/** The style at the end of a line. A color stays on after the end of the line until it is changed. */
export function styleAfter(line: string, before: Readonly<TextStyle> = plainStyle): Readonly<TextStyle> {
  if (!line.includes("\u001b")) return before;
  let style = before;
  for (const [, parameters] of line.matchAll(SEQUENCE))
    if (parameters !== undefined) style = applySgr(style, parameters);
  return isPlainStyle(style) ? plainStyle : style;
}

/**
 * Splits a line into pieces of one style each. Control sequences other than SGR (colors and styles) are removed.
 * @param before the style at the end of the previous line
 */
export function piecesOf(line: string, before: Readonly<TextStyle> = plainStyle): Piece[] {
  const start = startOfShown(line);
  const text = line.slice(start);
  let style = styleAfter(line.slice(0, start), before);
  if (!text.includes("\u001b")) return [{ text: readable(text), ...cssOf(style) }];
  const pieces: Piece[] = [];
  let from = 0;
  const add = (to: number) => {
    const part = readable(text.slice(from, to));
    if (part !== "") pieces.push({ text: part, ...cssOf(style) });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = applySgr(style, match[1]);
  }
  add(text.length);
  return pieces;
}

function cssOf(given: Readonly<TextStyle>): Omit<Piece, "text"> {
  const style = readableStyle(given);
  const [front, back] = style.inverse ? inverseOf(style) : [style.color, style.background].map(cssColor);
  const isNamed = (color: string | null | undefined) => color != null && !color.startsWith("rgb(");
  const classes = [
    style.bold ? "bold" : "",
    style.dim ? "dim" : "",
    style.italic ? "italic" : "",
    style.underline ? "underline" : "",
    isNamed(front) ? `fg-${front}` : "",
    isNamed(back) ? `bg-${back}` : "",
  ].filter((name) => name !== "");
  return {
    classes: classes.join(" "),
    color: isNamed(front) ? null : (front ?? null),
    background: isNamed(back) ? null : (back ?? null),
  };
}

/** The colours of a text in reverse. On some backgrounds, text in the page's own background colour cannot be read. */
function inverseOf({ color, background }: Readonly<TextStyle>): readonly [string | null, string | null] {
  const ground = color?.name == null ? "background" : "text";
  return [cssColor(background) ?? ground, cssColor(color) ?? "text"];
}

/** A colour as the name of its class, or as CSS. */
function cssColor(color: Colour | null): string | null {
  return color === null ? null : (color.name ?? `rgb(${color.rgb.join(" ")})`);
}
