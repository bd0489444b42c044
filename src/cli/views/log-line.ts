import type { LogLine } from "#contract/endpoints/logs/schemas.ts";
import { startOfShown } from "#contract/log-text.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";

const STAGE_WIDTH = 8;

/**
 * Prints a line of a log with its stage, and as plain text with its time too, as the API's `text/plain`.
 * @param isLocal of a build on this machine: as plain text, only what the commands print
 * @param server the name of its server, if the log is of several
 */
export function printLogLine(output: Output, logLine: LogLine, isLocal: boolean, server: string): void {
  const { line, stage, stream, time, server_id: id } = logLine;
  const { form, style } = output;
  if (form === "json") {
    const where = id === undefined ? {} : { server_id: id };
    return output.json({ type: "line", line, time, stream, stage, message: logLine.message, ...where });
  }
  const message = logLine.message.slice(startOfShown(logLine.message));
  if (form === "plain") {
    const place = isLocal ? "" : `${printable(time)} ${stage.padEnd(STAGE_WIDTH)} `;
    return output.line(place + server + printable(message));
  }
  const hasColour = style.dim("x") !== "x";
  const text = hasColour && stream === "stdout" ? printableInColour(message) : printable(message);
  const painted = stream === "stderr" ? style.yellow(text) : stream === "system" ? style.dim(text) : text;
  output.line(`${server}${stageText(output, stage)} ${painted}`);
}

/** The name of a stage at the beginning of a line at a terminal. */
export function stageText({ style }: Output, stage: string): string {
  return style.dim(stage.padEnd(STAGE_WIDTH));
}
