import type { Output } from "#cli/output/output.ts";
import { createLogPrinter } from "#cli/views/log-printer.ts";
import type { LogStage, LogStream } from "#contract/endpoints/logs/schemas.ts";

/** The log of a build on this machine, printed like the log of a deployment. */
export type BuildLog = {
  line(stream: LogStream, stage: LogStage, message: string): void;
  /** A line of Gantry itself. */
  system(stage: LogStage, message: string): void;
  /** The stage of the last line. */
  readonly stage: LogStage;
  /** Call it after the last line. */
  end(failedStage: string | null): void;
};

/** @param first the stage of the build before its first line */
export function createBuildLog(output: Output, first: LogStage, showsWarnings: boolean): BuildLog {
  const printer = createLogPrinter(output, showsWarnings, { isLocal: true });
  let count = 0;
  let current = first;
  const line = (stream: LogStream, stage: LogStage, message: string): void => {
    count += 1;
    current = stage;
    printer.print({ line: count, time: new Date().toISOString(), stream, stage, message });
  };
  return {
    line,
    system: (stage, message) => line("system", stage, message),
    get stage() {
      return current;
    },
    end: (failedStage) => printer.end(failedStage),
  };
}
