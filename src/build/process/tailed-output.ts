import { createLineOutput, type LineTaker } from "#build/process/line-output.ts";
import type { OutputSink } from "#build/process/run-process.ts";
import { TextTail } from "#build/process/text-tail.ts";
import { MAX_STDERR_TAIL } from "#contract/endpoints/deployments/schemas.ts";

/** Splits a command's output into lines, and keeps its end. */
export type TailedOutput = {
  readonly sink: OutputSink;
  /** Passes on an unfinished last line; call it once. */
  end(): void;
  /** The last lines of standard error, masked. */
  readonly stderrTail: string;
  /** The last lines of standard output and standard error in the order in which they came, masked. */
  readonly outputTail: string;
};

export function createTailedOutput(taker: LineTaker, partialLineMs: number): TailedOutput {
  const stderrTail = new TextTail(MAX_STDERR_TAIL);
  const outputTail = new TextTail(MAX_STDERR_TAIL);
  const lines = createLineOutput(
    {
      ...taker,
      line(stream, text) {
        taker.line(stream, text);
        // Masked line by line, because a secret that is cut in two would not be recognized.
        const masked = `${taker.mask(text)}\n`;
        outputTail.add(masked);
        if (stream === "stderr") stderrTail.add(masked);
      },
    },
    partialLineMs,
  );
  return {
    sink: lines.sink,
    end: () => lines.end(),
    get stderrTail() {
      return stderrTail.text;
    },
    get outputTail() {
      return outputTail.text;
    },
  };
}
