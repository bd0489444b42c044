import type { Clock } from "#agent/context/context.ts";
import type { Mask } from "#contract/mask.ts";
import { cutLine } from "#build/process/cut-line.ts";
import type { Reporter } from "#agent/report/reporter.ts";
import type { RunLog } from "#agent/step/run-scope.ts";
import { MAX_LOG_BYTES } from "#contract/endpoints/logs/schemas.ts";

/** Reserved for Gantry's own lines, below the limit of the whole log. */
const RESERVED_BYTES = 256 * 1024;

/** The size of a line without its message (number, time, stream and stage), as the control plane counts it. */
const LINE_BYTES = 110;

export function createRunLog(
  reporter: Pick<Reporter, "line">,
  mask: Mask,
  clock: Pick<Clock, "now">,
  maxBytes = MAX_LOG_BYTES - RESERVED_BYTES,
): RunLog {
  let bytes = 0;
  let isFull = false;

  const write: RunLog["line"] = (stream, stage, message) => {
    const time = new Date(clock.now()).toISOString();
    reporter.line({ time, stream, stage, message: cutLine(mask(message)) });
  };

  return {
    line(stream, stage, message) {
      if (isFull) return;
      bytes += Buffer.byteLength(JSON.stringify(message)) + LINE_BYTES;
      if (bytes <= maxBytes) return write(stream, stage, message);
      isFull = true;
      write("system", stage, "the log is full: further output of commands is not logged");
    },
    system: (stage, message) => write("system", stage, message),
    get isFull() {
      return isFull;
    },
  };
}
