import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { type ErrorRank, errorRank, isWarning } from "#contract/output-lines.ts";
import { plainText } from "#dashboard/text/ansi.ts";

/** A line of a log, prepared for display and search. `search`: its text without control sequences, in lower case. */
export type LineText = {
  readonly search: string;
  readonly isWarning: boolean;
  readonly errorRank: ErrorRank | null;
};

const nothing: LineText = { search: "", isWarning: false, errorRank: null };

/** The texts of a log's lines. Each is read once, in several microseconds: a log may have 50,000 lines. */
export class LineTexts {
  readonly #lines: readonly Pick<LogLine, "stream" | "message">[];
  readonly #texts: LineText[] = [];

  /** @param lines which may grow */
  constructor(lines: readonly Pick<LogLine, "stream" | "message">[]) {
    this.#lines = lines;
  }

  /** @param index from 0 */
  at(index: number): LineText {
    const line = this.#lines[index];
    if (line === undefined) return nothing;
    return (this.#texts[index] ??= textOf(line));
  }
}

function textOf({ stream, message }: Pick<LogLine, "stream" | "message">): LineText {
  const search = plainText(message).toLowerCase();
  // Gantry's own lines are not the output of a command, so they are neither warnings nor errors.
  if (stream === "system") return { ...nothing, search };
  return { search, isWarning: isWarning(search), errorRank: errorRank(search) };
}
