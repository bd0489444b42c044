import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";

const STAGE_WIDTH = 8;

/** Prints a line of a log, at a terminal with its stage. */
export function printLogLine(output: Output, { line, stage, stream, message, time }: LogLine): void {
  const { form, style } = output;
  if (form === "json") return output.json({ type: "line", line, time, stream, stage, message });
  if (form === "plain") return output.line(printable(message));
  const hasColour = style.dim("x") !== "x";
  const text = hasColour && stream === "stdout" ? printableInColour(message) : printable(message);
  const painted = stream === "stderr" ? style.yellow(text) : stream === "system" ? style.dim(text) : text;
  output.line(`${stageText(output, stage)} ${painted}`);
}

/** The name of a stage at the beginning of a line at a terminal. */
export function stageText({ style }: Output, stage: string): string {
  return style.dim(stage.padEnd(STAGE_WIDTH));
}
