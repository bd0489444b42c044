import type { LogLine, LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import type { LineStyles } from "#dashboard/pages/deployment/line-styles.ts";
import type { LineTexts } from "#dashboard/text/line-texts.ts";

/** Lines of a log in the order of their numbers, prepared for display: all lines, or some. */
export type ShownLog = {
  readonly lines: readonly LogLine[];
  readonly texts: Pick<LineTexts, "at">;
  readonly styles: Pick<LineStyles, "at">;
};

/** Which lines are shown. `server`: also the lines that no server wrote; null: of all servers. `stage`; null: of all. */
type Part = { readonly server: ServerId | null; readonly stage: LogStage | null };

/** Some of the first `count` lines of a log. The same object each time, which grows. */
export function partOfLog(log: ShownLog, count: number, part: Part): ShownLog {
  const parts = partsOf.get(log) ?? new Map<string, LogPart>();
  partsOf.set(log, parts);
  const key = `${part.server} ${part.stage}`;
  const known = parts.get(key) ?? new LogPart(log, part);
  parts.set(key, known);
  known.grow(count);
  return known;
}

const partsOf = new WeakMap<ShownLog, Map<string, LogPart>>();

class LogPart implements ShownLog {
  readonly lines: LogLine[] = [];
  readonly texts: ShownLog["texts"];
  readonly styles: ShownLog["styles"];
  readonly #log: ShownLog;
  readonly #part: Part;
  /** How many lines of the log were looked at. Logs only grow. */
  #looked = 0;

  constructor(log: ShownLog, part: Part) {
    this.#log = log;
    this.#part = part;
    /** The index of a line in the whole log. */
    const whole = (index: number) => (this.lines[index]?.line ?? 0) - 1;
    this.texts = { at: (index) => log.texts.at(whole(index)) };
    this.styles = { at: (index) => log.styles.at(whole(index)) };
  }

  grow(count: number): void {
    const { server, stage } = this.#part;
    for (; this.#looked < count; this.#looked += 1) {
      const line = this.#log.lines[this.#looked];
      if (line === undefined || (stage !== null && line.stage !== stage)) continue;
      if (server === null || line.server_id === undefined || line.server_id === server) this.lines.push(line);
    }
  }
}

/** The index of a line by its number; null: it is not among the lines. */
export function indexOfLine({ lines }: Pick<ShownLog, "lines">, line: number): number | null {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.line ?? Infinity) < line) low = middle + 1;
    else high = middle;
  }
  return lines[low]?.line === line ? low : null;
}
