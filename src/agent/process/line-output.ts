import type { Mask } from "#contract/mask.ts";
import { createLineSplitter } from "#agent/process/line-splitter.ts";
import type { OutputSink } from "#agent/process/run-process.ts";

export type CommandStream = "stdout" | "stderr";

export type LineTaker = {
  readonly line: (stream: CommandStream, text: string) => void;
  /** `null` while there is room for more; otherwise resolves when there is again. */
  readonly room: () => Promise<void> | null;
  /** For lines that are cut; whole ones come as they were written. */
  readonly mask: Mask;
};

/** Turns what a command writes into lines. `end` hands on what stands without a line end; call it once. */
export function createLineOutput(
  taker: LineTaker,
  partialLineMs: number,
): { readonly sink: OutputSink; end(): void } {
  const stdout = streamOutput("stdout", taker, partialLineMs);
  const stderr = streamOutput("stderr", taker, partialLineMs);
  return {
    sink: { stdout: (chunk) => stdout.take(chunk), stderr: (chunk) => stderr.take(chunk) },
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

  /** A question or a progress bar stands without a line end: it is shown all the same. */
  function showPartialWhenIdle(): void {
    const seen = chunks;
    idle = setTimeout(() => {
      // After a busy moment the rest of the line may lie in the pipe already: it is read first.
      setImmediate(() => {
        if (chunks !== seen) return;
        const partial = splitter.takePartial();
        if (partial !== null) taker.line(stream, partial);
      });
    }, partialLineMs);
  }

  return {
    take(chunk: Buffer): Promise<void> | null {
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
