import { type FSWatcher, fstatSync, ftruncateSync, readSync, watch as watchFile } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

import { attempt } from "#node/attempt.ts";
import { pause } from "#contract/lib/pause.ts";
import type { OutputFile } from "#build/process/output-files.ts";
import type { OutputReader, ReceiveChunk } from "#build/process/read-pipe.ts";

export type FollowOptions = {
  /** How often to look for new output in addition to file system notifications, which may be missing. */
  readonly pollMs: number;
  /** A longer file is emptied once all of it was read. */
  readonly maxBytes: number;
  /**
   * Called with the size of the output that was dropped because the reader had no room for it, or was slower than the
   * command.
   */
  readonly onDropped: (bytes: number) => void;
  readonly watch?: (path: string, onChange: () => void) => FSWatcher;
};

const CHUNK_BYTES = 64 * 1024;
/** After this time or number of chunks, other work of the agent gets its turn. */
const TURN_MS = 5;
const CHUNKS_PER_TURN = 16;
const GRACE_STEP_MS = 10;

const followed = new Set<string>();

/** Whether a file is being followed. Its follower limits its size. */
export function isFollowed(path: string): boolean {
  return followed.has(path);
}

/** Reads a file from its start, and follows what is appended. While `receive` has no room, nothing is read. */
export function followFile(file: OutputFile, receive: ReceiveChunk, options: FollowOptions): OutputReader {
  const { path, fd } = file;
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  /** Offset of the next read. */
  let offset = 0;
  /** Bytes read or dropped in total. Unlike `offset`, it never decreases. */
  let passed = 0;
  let waiting: Promise<void> | null = null;
  /** The rest is read in the next turn of the event loop, whatever notifications arrive until then. */
  let isNextTurn = false;
  let timesAtEnd = 0;
  let isEnded = false;

  function read(): void {
    if (isNextTurn) return;
    const startedAt = performance.now();
    for (let chunk = 0; chunk < CHUNKS_PER_TURN; chunk += 1) {
      if (isEnded || waiting !== null) return;
      if (performance.now() - startedAt > TURN_MS) break;
      const length = readSync(fd, buffer, 0, CHUNK_BYTES, offset);
      if (length === 0) {
        if (reachEnd()) return;
        continue;
      }
      offset += length;
      passed += length;
      const room = receive(buffer.subarray(0, length));
      if (room !== null) waiting = room.then(resume);
    }
    isNextTurn = true;
    setImmediate(() => {
      isNextTurn = false;
      readSafely();
    });
  }

  function resume(): void {
    waiting = null;
    readSafely();
  }

  /**
   * Called when nothing was left to read. Empties a long file; the writers append, so they continue at its start.
   * @returns false if there is more by now, which emptying the file would lose
   */
  function reachEnd(): boolean {
    const { size } = fstatSync(fd);
    if (size > offset) return false;
    timesAtEnd += 1;
    // Another process emptied the file.
    if (size < offset) offset = 0;
    else if (offset > options.maxBytes) {
      ftruncateSync(fd);
      offset = 0;
    }
    return true;
  }

  function poll(): void {
    const { size } = fstatSync(fd);
    // While the file is being read, it is emptied when its end is reached, unless it grows faster than that.
    if (size <= options.maxBytes * (waiting === null ? 2 : 1)) return read();
    const dropped = size - offset;
    ftruncateSync(fd);
    offset = 0;
    passed += dropped;
    options.onDropped(dropped);
  }

  /** A failing file system must not end the agent: the command continues, and its output is lost. */
  function safely(act: () => void): void {
    try {
      act();
    } catch {
      end();
    }
  }
  const readSafely = (): void => safely(read);

  followed.add(path);
  // Without a watcher, for example at the system's limit of watches, polling is enough.
  const watcher = attempt(() => (options.watch ?? watchFile)(path, readSafely), null);
  watcher?.on("error", () => watcher.close());
  // Nothing notifies of output written before the watch.
  setImmediate(readSafely);
  const polling = setInterval(() => safely(poll), options.pollMs);

  function end(): void {
    isEnded = true;
    watcher?.close();
    clearInterval(polling);
    followed.delete(path);
  }

  async function readToEnd(): Promise<void> {
    if (isEnded) return;
    const target = passed + fstatSync(fd).size - offset;
    const before = timesAtEnd;
    // When another process empties the file, `passed` never reaches the target, but reading reaches the end.
    while (!isEnded && passed < target && timesAtEnd === before) {
      if (waiting === null) readSafely();
      if (waiting === null) await nextTurn();
      else await waiting;
    }
  }

  return {
    async finish(graceMs) {
      await readToEnd();
      for (let waitedMs = 0; waitedMs < graceMs; waitedMs += GRACE_STEP_MS) {
        await pause(GRACE_STEP_MS);
        if (waiting !== null) await waiting;
      }
      if (graceMs > 0) await readToEnd();
      end();
    },
  };
}
