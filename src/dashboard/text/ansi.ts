import { oneLine, startOfShown } from "#contract/log-text.ts";

/** A part of a line in one style. `classes` has the terminal's 16 colors; `color` and `background` others, as CSS. */
export type Piece = {
  readonly text: string;
  readonly classes: string;
  readonly color: string | null;
  readonly background: string | null;
};

/** The text style of a terminal. */
export type TextStyle = {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  color: string | null;
  background: string | null;
};

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
export const plain: Readonly<TextStyle> = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  color: null,
  background: null,
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
export function styleAfter(line: string, before: Readonly<TextStyle> = plain): Readonly<TextStyle> {
  if (!line.includes("\u001b")) return before;
  let style = before;
  for (const [, parameters] of line.matchAll(SEQUENCE))
    if (parameters !== undefined) style = applySgr(style, parameters);
  return isPlain(style) ? plain : style;
}

function isPlain(style: Readonly<TextStyle>): boolean {
  return cssOf(style).classes === "" && style.color === null && style.background === null;
}

/**
 * Splits a line into pieces of one style each. Control sequences other than SGR (colors and styles) are removed.
 * @param before the style at the end of the previous line
 */
export function piecesOf(line: string, before: Readonly<TextStyle> = plain): Piece[] {
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

function cssOf(style: Readonly<TextStyle>): Omit<Piece, "text"> {
  const [front, back] = style.inverse
    ? [style.background ?? "background", style.color ?? "text"]
    : [style.color, style.background];
  const isNamed = (color: string | null) => color !== null && !color.startsWith("rgb(");
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
    color: isNamed(front) ? null : front,
    background: isNamed(back) ? null : back,
  };
}

/** Applies an SGR sequence. Source: ECMA-48 section 8.3.117; ITU-T T.416 for colors after 38 and 48, as in xterm. */
function applySgr(style: Readonly<TextStyle>, parameters: string): Readonly<TextStyle> {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = { ...style };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) next = { ...plain };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.inverse = false;
    else if (code === 39) next.color = null;
    else if (code === 49) next.background = null;
    else if (code === 38 || code === 48) {
      const { color, length } = extendedColor(codes.slice(at + 1));
      if (code === 38) next.color = color;
      else next.background = color;
      at += length;
    } else {
      const named = namedColor(code);
      if (named?.isBackground === false) next.color = named.name;
      if (named?.isBackground === true) next.background = named.name;
    }
  }
  return next;
}

function namedColor(code: number): { readonly name: string; readonly isBackground: boolean } | null {
  for (const [first, prefix] of [
    [30, ""],
    [90, "bright-"],
  ] as const)
    for (const isBackground of [false, true]) {
      const name = names[code - first - (isBackground ? 10 : 0)];
      if (name !== undefined) return { name: prefix + name, isBackground };
    }
  return null;
}

/** A color of the 256-color palette or an RGB color. @returns the color and the number of parameters it used */
function extendedColor(codes: readonly number[]): { readonly color: string | null; readonly length: number } {
  const [kind, one = 0, two = 0, three = 0] = codes;
  if (kind === 2) return { color: rgb(one, two, three), length: 4 };
  if (kind !== 5) return { color: null, length: codes.length };
  return { color: paletteColor(one), length: 2 };
}

function paletteColor(index: number): string {
  if (index < 8) return names[index] ?? "white";
  if (index < 16) return `bright-${names[index - 8] ?? "white"}`;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return rgb(grey, grey, grey);
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return rgb(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function rgb(...parts: readonly number[]): string {
  return `rgb(${parts.map((part) => Math.min(255, Math.max(0, part))).join(" ")})`;
}
