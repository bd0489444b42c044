import { stripVTControlCharacters } from "node:util";

import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { isWarning } from "#contract/output-lines.ts";
import type { Output } from "#cli/output/output.ts";
import { printLogLine, stageText } from "#cli/views/log-line.ts";

/** The option of commands that print a log. */
export const warningsOption = {
  warnings: {
    kind: "flag",
    help: "Show each warning of the log. At a terminal, several in a row are one line",
  },
} as const;

/** Prints a log line by line. At a terminal, warnings in a row become one line, unless `showsWarnings`. */
export type LogPrinter = {
  print(line: LogLine): void;
  /** Call it after the last line. `failedStage`: the stage that failed, whose warnings are printed now. */
  end(failedStage: string | null): void;
};

/** The most warnings that are printed after a failure. */
const MAX_SHOWN_LATER = 500;

type PrinterOptions = {
  /** The stage whose warnings are not folded, because they may be why it failed; null if unknown. */
  readonly failedStage?: string | null;
  /** The log is of a build on this machine. */
  readonly isLocal?: boolean;
  /** What a line begins with: the name of its server. Nothing if there is one. */
  readonly prefixOf?: (line: LogLine) => string;
};

export function createLogPrinter(
  output: Output,
  showsWarnings: boolean,
  { failedStage = null, isLocal = false, prefixOf = () => "" }: PrinterOptions = {},
): LogPrinter {
  const folds = output.form === "terminal" && !showsWarnings;
  let row: LogLine[] = [];
  /** The folded warnings of the current stage. */
  let folded: LogLine[] = [];

  const printOne = (line: LogLine) => printLogLine(output, line, isLocal, prefixOf(line));
  const endRow = (): void => {
    const [first, second] = row;
    if (first !== undefined && second === undefined) printOne(first);
    if (first !== undefined && second !== undefined) {
      const { dim } = output.style;
      output.line(
        `${prefixOf(first)}${stageText(output, first.stage)} ${dim(`${row.length} warnings (--warnings shows them)`)}`,
      );
      folded = [...folded.filter(({ stage }) => stage === first.stage), ...row].slice(-MAX_SHOWN_LATER);
    }
    row = [];
  };

  return {
    print(line) {
      const { stream, stage, message } = line;
      const isFolded =
        folds && stream !== "system" && stage !== failedStage && isWarning(stripVTControlCharacters(message));
      if (!isFolded || row[0]?.stage !== stage || row[0].server_id !== line.server_id) endRow();
      if (isFolded) row.push(line);
      else printOne(line);
    },
    end(stage) {
      endRow();
      const shown = folded.filter((line) => line.stage === stage);
      if (shown.length === 0) return;
      output.line(
        `${stageText(output, shown[0]?.stage ?? "")} ${output.style.dim("warnings of this stage:")}`,
      );
      for (const line of shown) printOne(line);
    },
  };
}
