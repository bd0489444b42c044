import type { Output } from "#cli/output/output.ts";
import { printLogLine } from "#cli/views/log-line.ts";
import type { LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";

/** The log of a build on this machine, printed like that of a deployment. */
export type BuildLog = {
  line(stream: LogStream, stage: LogStage, message: string): void;
  /** A line of Gantry itself. */
  system(stage: LogStage, message: string): void;
  /** The stage of the last line. */
  readonly stage: LogStage;
};

/** @param first the stage of the build before its first line */
export function createBuildLog(output: Output, first: LogStage): BuildLog {
  let count = 0;
  let current = first;
  const line = (stream: LogStream, stage: LogStage, message: string): void => {
    count += 1;
    current = stage;
    printLogLine(output, { line: count, time: new Date().toISOString(), stream, stage, message });
  };
  return {
    line,
    system: (stage, message) => line("system", stage, message),
    get stage() {
      return current;
    },
  };
}
