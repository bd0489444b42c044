import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import type { Output } from "#cli/output/output.ts";
import type { Style } from "#cli/output/style.ts";
import { cut, lengthOf } from "#cli/output/table.ts";
import type { ServerNames } from "#cli/session/server-names.ts";

/** Without red and yellow, which say that something is wrong. */
const COLOURS = ["cyan", "magenta", "green", "blue"] as const satisfies readonly (keyof Style)[];

/** A longer name would leave too little of the line. */
const MAX_WIDTH = 20;

/**
 * What each line of a log on several servers begins with: the name of its server, in a colour of its own. A line of the
 * control plane has as many spaces.
 * @param ids the servers, in the order of the rollout
 */
export function serverPrefixes(
  { form, style }: Pick<Output, "form" | "style">,
  ids: readonly ServerId[],
  nameOf: ServerNames,
): (line: Pick<LogLine, "server_id">) => string {
  const shown = ids.map((id) => (form === "plain" ? nameOf(id) : cut(nameOf(id), MAX_WIDTH)));
  const width = Math.max(0, ...shown.map(lengthOf));
  const prefixes = new Map(
    shown.map((name, at) => {
      const colour = COLOURS[at % COLOURS.length] ?? "cyan";
      return [ids[at], `${style[colour](name)}${" ".repeat(width - lengthOf(name))}  `];
    }),
  );
  const none = " ".repeat(width + 2);
  return ({ server_id: id }) => prefixes.get(id) ?? none;
}
