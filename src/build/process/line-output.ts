import type { Mask } from "#contract/mask.ts";
import { createLineSplitter } from "#build/process/line-splitter.ts";
import type { OutputSink } from "#build/process/run-process.ts";

export type CommandStream = "stdout" | "stderr";

export type LineTaker = {
  readonly line: (stream: CommandStream, text: string) => void;
  /** `null` while there is room; otherwise a promise that resolves when there is room again. */
  readonly room: () => Promise<void> | null;
  /** Masks lines that are cut. Complete lines are passed on unmasked. */
  readonly mask: Mask;
};

/** Splits a command's output into lines. `end` passes on an unfinished last line; call it once. */
export function createLineOutput(
  taker: LineTaker,
  partialLineMs: number,
): { readonly sink: OutputSink; end(): void } {
  const stdout = streamOutput("stdout", taker, partialLineMs);
  const stderr = streamOutput("stderr", taker, partialLineMs);
  return {
    sink: { stdout: (chunk) => stdout.receive(chunk), stderr: (chunk) => stderr.receive(chunk) },
    end() {
      stdout.end();
      stderr.end();
    },
  };
}

function streamOutput(stream: CommandStream, taker: LineTaker, partialLineMs: number) {
  const splitter = createLineSplitter(taker.mask);
  let idle: NodeJS.Timeout | undefined;
  let chunks = 0;

  /** Shows an unfinished line, such as a question or a progress bar. */
  function showPartialWhenIdle(): void {
    const seen = chunks;
    idle = setTimeout(() => {
      // The rest of the line may already be in the pipe, so pending reads run first.
      setImmediate(() => {
        if (chunks !== seen) return;
        const partial = splitter.removePartial();
        if (partial !== null) taker.line(stream, partial);
      });
    }, partialLineMs);
  }

  return {
    receive(chunk: Buffer): Promise<void> | null {
      clearTimeout(idle);
      chunks += 1;
      for (const line of splitter.push(chunk)) taker.line(stream, line);
      const room = taker.room();
      if (room === null) showPartialWhenIdle();
      else void room.then(showPartialWhenIdle);
      return room;
    },
    end(): void {
      clearTimeout(idle);
      chunks += 1;
      const rest = splitter.end();
      if (rest !== null) taker.line(stream, rest);
    },
  };
}
