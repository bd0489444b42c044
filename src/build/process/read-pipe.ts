import type { Readable } from "node:stream";

import { pause } from "#contract/lib/pause.ts";

/**
 * Receives a chunk of output, which is only valid during the call. A returned promise pauses reading until it resolves.
 */
export type ReceiveChunk = (chunk: Buffer) => Promise<void> | null;

/** Reads one output stream of a command. */
export type OutputReader = {
  /**
   * Call it when the command has ended. Reads the rest of the command's output, and output of other processes for at
   * most `graceMs`. Time spent waiting for room does not count.
   */
  finish(graceMs: number): Promise<void>;
};

const POLL_MS = 10;

/** Passes on the bytes of a pipe, and stops reading while `receive` has no room. */
export function readPipe(pipe: Readable, receive: ReceiveChunk): OutputReader {
  let isPaused = false;
  const closed = new Promise<void>((resolve) => pipe.once("close", resolve));
  pipe.on("error", () => undefined);
  pipe.on("data", (chunk: Buffer) => {
    const room = receive(chunk);
    if (room === null) return;
    isPaused = true;
    pipe.pause();
    void room.then(() => {
      isPaused = false;
      pipe.resume();
    });
  });

  return {
    async finish(graceMs) {
      let hasClosed = false;
      const done = closed.then(() => {
        hasClosed = true;
      });
      let waitedMs = 0;
      while (!pipe.closed && !hasClosed && waitedMs < graceMs) {
        await Promise.race([done, pause(POLL_MS)]);
        if (!isPaused) waitedMs += POLL_MS;
      }
      pipe.destroy();
    },
  };
}
