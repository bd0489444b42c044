import type { Readable } from "node:stream";

import { pause } from "#agent/pause.ts";

export type PipeReader = {
  /**
   * Call it once the writer has ended: resolves when all it wrote is read, or when something else
   * has held the pipe open for the grace. Time spent waiting for room does not count.
   */
  finish(graceMs: number): Promise<void>;
};

const POLL_MS = 10;

/** Hands on what comes from a pipe, and stops reading while the taker has no room. */
export function readPipe(pipe: Readable, take: (chunk: Buffer) => Promise<void> | null): PipeReader {
  let isPaused = false;
  const closed = new Promise<void>((resolve) => pipe.once("close", resolve));
  pipe.on("error", () => undefined);
  pipe.on("data", (chunk: Buffer) => {
    const room = take(chunk);
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
