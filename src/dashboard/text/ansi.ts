import { oneLine } from "#contract/log-text.ts";

/** A piece of a line in one look. Colours are of the terminal's sixteen by name, or any other as CSS has it. */
export type Piece = {
  readonly text: string;
  readonly classes: string;
  readonly colour: string | null;
  readonly ground: string | null;
};

/** How a terminal shows what comes next. */
export type Look = {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  colour: string | null;
  ground: string | null;
};

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
export const plain: Readonly<Look> = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  colour: null,
  ground: null,
};

/** Every control sequence of ECMA-48 that a line can hold: CSI, OSC and the short ones. The first group is an SGR's. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[([\d;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f\u0080-\u009f]/g;

/**
 * Text between sequences, as it is shown. The log shows each line in one row, so what would break the line or turn the
 * order of its text is escaped: it would be drawn over the row below.
 */
function readable(text: string): string {
  return oneLine(text.replace(CONTROL, ""));
}

/** Where what a terminal would show of a line begins: what was overwritten after a carriage return is before it. */
function startOfShown(line: string): number {
  let end = line.length;
  // Not by a pattern: it would take the square of a run of them that is not at the end.
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(0, end).lastIndexOf("\r") + 1;
}

/** A line without what is not to be read. */
export function plainText(line: string): string {
  return readable(line.slice(startOfShown(line)).replace(SEQUENCE, ""));
}

/** The look that a line leaves behind: a colour goes on over the line's end, until it is changed. */
export function lookAfter(line: string, before: Readonly<Look> = plain): Readonly<Look> {
  if (!line.includes("\u001b")) return before;
  let look = before;
  for (const [, parameters] of line.matchAll(SEQUENCE))
    if (parameters !== undefined) look = changed(look, parameters);
  return isPlain(look) ? plain : look;
}

function isPlain(look: Readonly<Look>): boolean {
  return styleOf(look).classes === "" && look.colour === null && look.ground === null;
}

/**
 * A line in pieces, as its colours (SGR) say. Every other control sequence is left out.
 * @param before the look that the line before it has left behind
 */
export function piecesOf(line: string, before: Readonly<Look> = plain): Piece[] {
  const start = startOfShown(line);
  const text = line.slice(start);
  let look = lookAfter(line.slice(0, start), before);
  if (!text.includes("\u001b")) return [{ text: readable(text), ...styleOf(look) }];
  const pieces: Piece[] = [];
  let from = 0;
  const add = (to: number) => {
    const part = readable(text.slice(from, to));
    if (part !== "") pieces.push({ text: part, ...styleOf(look) });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) look = changed(look, match[1]);
  }
  add(text.length);
  return pieces;
}

function styleOf(look: Readonly<Look>): Omit<Piece, "text"> {
  const [front, back] = look.inverse
    ? [look.ground ?? "ground", look.colour ?? "text"]
    : [look.colour, look.ground];
  const isNamed = (colour: string | null) => colour !== null && !colour.startsWith("rgb(");
  const classes = [
    look.bold ? "bold" : "",
    look.dim ? "dim" : "",
    look.italic ? "italic" : "",
    look.underline ? "underline" : "",
    isNamed(front) ? `fg-${front}` : "",
    isNamed(back) ? `bg-${back}` : "",
  ].filter((name) => name !== "");
  return {
    classes: classes.join(" "),
    colour: isNamed(front) ? null : front,
    ground: isNamed(back) ? null : back,
  };
}

/** Source: ECMA-48 section 8.3.117, and ITU-T T.416 for the colours after 38 and 48, as xterm reads them. */
function changed(look: Readonly<Look>, parameters: string): Readonly<Look> {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = { ...look };
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
    else if (code === 39) next.colour = null;
    else if (code === 49) next.ground = null;
    else if (code === 38 || code === 48) {
      const { colour, length } = extended(codes.slice(at + 1));
      if (code === 38) next.colour = colour;
      else next.ground = colour;
      at += length;
    } else {
      const named = namedColour(code);
      if (named?.isGround === false) next.colour = named.name;
      if (named?.isGround === true) next.ground = named.name;
    }
  }
  return next;
}

function namedColour(code: number): { readonly name: string; readonly isGround: boolean } | null {
  for (const [first, prefix] of [
    [30, ""],
    [90, "bright-"],
  ] as const)
    for (const isGround of [false, true]) {
      const name = names[code - first - (isGround ? 10 : 0)];
      if (name !== undefined) return { name: prefix + name, isGround };
    }
  return null;
}

/** A colour out of 256, or of red, green and blue. @returns how many numbers it took */
function extended(codes: readonly number[]): { readonly colour: string | null; readonly length: number } {
  const [kind, one = 0, two = 0, three = 0] = codes;
  if (kind === 2) return { colour: rgb(one, two, three), length: 4 };
  if (kind !== 5) return { colour: null, length: codes.length };
  return { colour: paletteColour(one), length: 2 };
}

function paletteColour(index: number): string {
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
