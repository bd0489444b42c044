import { type Growing, knownOf } from "#contract/growing.ts";

export type Style = ReturnType<typeof createStyle>;

/** Functions that colour text. Without colour they return it unchanged. */
export function createStyle(hasColour: boolean) {
  const style = (code: number) => (text: string) =>
    hasColour && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    bold: style(1),
    dim: style(2),
    red: style(31),
    green: style(32),
    yellow: style(33),
    blue: style(34),
    magenta: style(35),
    cyan: style(36),
  };
}

/** A value in its colour. A value that a newer control plane has added has none. */
export function styled<Known extends string>(
  style: Style,
  colours: Readonly<Record<Known, keyof Style>>,
  value: Growing<Known>,
): string {
  const colour = knownOf(colours, value);
  return colour === null ? value : style[colour](value);
}

/** Source: no-color.org; terminfo calls a terminal without capabilities `dumb`. */
export function wantsColour(isTerminal: boolean, environment: NodeJS.ProcessEnv): boolean {
  return isTerminal && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
}
