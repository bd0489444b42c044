// What a terminal's SGR sequences mean: colours and styles of text. Source: ECMA-48 section 8.3.117; ITU-T T.416 for
// colours after 38 and 48, as in xterm. Styles that can hide text are left out: conceal, blinking, other fonts.

/**
 * A colour. `name`: of one of the 16 colours that the terminal's theme decides; null: a fixed one. `rgb`: as xterm shows
 * it. `text` and `background`: its SGR parameters.
 */
export type Colour = {
  readonly name: string | null;
  readonly rgb: Rgb;
  readonly text: string;
  readonly background: string;
};
type Rgb = readonly [number, number, number];

/** The style of a text in a terminal. A colour that is null is the terminal's own. */
export type TextStyle = {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  color: Colour | null;
  background: Colour | null;
};

export const plainStyle: Readonly<TextStyle> = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  color: null,
  background: null,
};

/** Whether a style is the style of text without any sequence. */
export function isPlainStyle(style: Readonly<TextStyle>): boolean {
  return parametersOf(style) === "";
}

const NAMED: readonly (readonly [string, Rgb])[] = [
  ["black", [0, 0, 0]],
  ["red", [205, 0, 0]],
  ["green", [0, 205, 0]],
  ["yellow", [205, 205, 0]],
  ["blue", [0, 0, 238]],
  ["magenta", [205, 0, 205]],
  ["cyan", [0, 205, 205]],
  ["white", [229, 229, 229]],
  ["bright-black", [127, 127, 127]],
  ["bright-red", [255, 0, 0]],
  ["bright-green", [0, 255, 0]],
  ["bright-yellow", [255, 255, 0]],
  ["bright-blue", [92, 92, 255]],
  ["bright-magenta", [255, 0, 255]],
  ["bright-cyan", [0, 255, 255]],
  ["bright-white", [255, 255, 255]],
];

/** The 16 colours of a terminal's theme. */
const named = NAMED.map(([name, rgb], index): Colour => {
  const first = index < 8 ? 30 + index : 82 + index;
  return { name, rgb, text: `${first}`, background: `${first + 10}` };
});
const fixed = (rgb: Rgb, parameters: string): Colour => ({
  ...{ name: null, rgb },
  ...{ text: `38;${parameters}`, background: `48;${parameters}` },
});

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** A sequence of SGR. The group has its parameters. */
// oxlint-disable-next-line no-control-regex
const SGR = /\u001b\[([0-9;:]{0,40})m/;
const RESET = "\u001b[0m";

/**
 * Writes a text with its colours and styles so that a terminal shows all of it: other sequences of SGR are left out,
 * and a colour like its background is changed. They end with the text. @param write returns the text between the
 * sequences
 */
export function painted(text: string, write: (plain: string) => string): string {
  const parts = text.split(SGR);
  if (parts.length === 1) return write(text);
  let style = plainStyle;
  let shown = "";
  const written = parts.map((part, at) => {
    if (at % 2 === 0) return write(part);
    style = applySgr(style, part);
    const before = shown;
    shown = parametersOf(readableStyle(style));
    if (shown === before) return "";
    if (shown === "") return RESET;
    return `\u001b[${before === "" ? "" : "0;"}${shown}m`;
  });
  return `${written.join("")}${shown === "" ? "" : RESET}`;
}

function parametersOf(style: Readonly<TextStyle>): string {
  const codes = [
    style.bold ? "1" : "",
    style.dim ? "2" : "",
    style.italic ? "3" : "",
    style.underline ? "4" : "",
    style.inverse ? "7" : "",
    style.color?.text ?? "",
    style.background?.background ?? "",
  ];
  return codes.filter((code) => code !== "").join(";");
}

/** The style after the parameters of an SGR sequence. */
export function applySgr(style: Readonly<TextStyle>, parameters: string): Readonly<TextStyle> {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = { ...style };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) next = { ...plainStyle };
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
      const { color, length } = extendedColour(codes.slice(at + 1));
      if (code === 38) next.color = color;
      else next.background = color;
      at += length;
    } else {
      next.color = named.find(({ text }) => text === `${code}`) ?? next.color;
      next.background = named.find(({ background }) => background === `${code}`) ?? next.background;
    }
  }
  return next;
}

/** @returns the colour and the number of parameters it used */
function extendedColour(codes: readonly number[]): {
  readonly color: Colour | null;
  readonly length: number;
} {
  const [kind, ...parts] = codes.map((code) => Math.min(255, code));
  const [one = 0, two = 0, three = 0] = parts;
  if (kind === 2) return { color: fixed([one, two, three], `2;${one};${two};${three}`), length: 4 };
  if (kind !== 5) return { color: null, length: codes.length };
  return { color: named[one] ?? fixed(paletteRgb(one), `5;${one}`), length: 2 };
}

/** A colour of the palette of 256, after the first 16. */
function paletteRgb(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

/**
 * A fixed colour on a background that may be dark or light must have this contrast with black and with white. The grounds
 * of the dashboard are a little lighter and darker than these, which takes up to a tenth of it.
 */
const ON_ANY = 1.6;
/** The least contrast of a text with the background that comes with it. Source: WCAG 2.2, 1.4.3 for large text. */
const ON_BACKGROUND = 3;

/** The style in which all text can be read, whether the terminal is dark or light. Only the colour of the text changes. */
export function readableStyle(style: Readonly<TextStyle>): Readonly<TextStyle> {
  const { color, background } = style;
  if (background === null) return color === null || isVisible(color) ? style : { ...style, color: null };
  // A theme can show a named colour as any fixed one.
  const isSameKind = color !== null && (color.name === null) === (background.name === null);
  if (isSameKind && contrast(color.rgb, background.rgb) >= ON_BACKGROUND) return style;
  const isDark = contrast(WHITE, background.rgb) > contrast(BLACK, background.rgb);
  return { ...style, color: background.name === null ? fixedText(isDark) : namedText(isDark) };
}

/** Whether text of this colour can be seen on an unknown background. Themes choose named colours for that. */
function isVisible({ name, rgb }: Colour): boolean {
  if (name !== null) return !["black", "white", "bright-white"].includes(name);
  return contrast(rgb, BLACK) >= ON_ANY && contrast(rgb, WHITE) >= ON_ANY;
}

function namedText(isOnDark: boolean): Colour | null {
  return named[isOnDark ? 15 : 0] ?? null;
}

function fixedText(isOnDark: boolean): Colour {
  const level = isOnDark ? 255 : 0;
  return fixed(isOnDark ? WHITE : BLACK, `2;${level};${level};${level}`);
}

/** The contrast of two colours, from 1 to 21. Source: WCAG 2.2, contrast ratio. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
