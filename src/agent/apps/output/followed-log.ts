import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import { READ_FILE } from "#node/open-flags.ts";
import { cutLine } from "#build/process/cut-line.ts";
import { createLineSplitter } from "#build/process/line-splitter.ts";
import type { OutputTime, OutputTimes } from "#agent/workspace/output-times.ts";
import type { Mask } from "#contract/mask.ts";

const CHUNK_BYTES = 64 * 1024;
/** How much of the earlier output is read at first. */
const EARLIER_BYTES = 256 * 1024;
/** Lines without a noted time were printed since the last look, which is not longer ago. */
const RECENT_MS = 3_000;

/** `time`: when the line was printed, or read soon after, in Unix milliseconds; `null`: unknown. */
export type TimedLine = { readonly message: string; readonly time: number | null };

/** The log of an instance, read as it is appended to. All methods are synchronous, and throw if the disk fails. */
export type FollowedLog = {
  /** The file that is read: another one at the same path is another log. */
  readonly inode: number;
  /** The lines that were completed since the last call, of about this many bytes. The first call has earlier lines too. */
  read(maxBytes: number): TimedLine[];
  /** Reads the file to its end, because it is emptied now. The next `read` has these lines. */
  catchUp(): void;
  /** The rest, with an unfinished line. */
  end(): TimedLine[];
};

type Options = { readonly mask: Mask; readonly times: OutputTimes; readonly now: () => number };

/** Opens a log at the end of what the instance printed, after its last lines. @returns `null` when there is none */
export function openFollowedLog(path: string, { mask, times, now }: Options): FollowedLog | null {
  const fd = openLog(path);
  if (fd === null) return null;
  const splitter = createLineSplitter(mask);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let waiting: TimedLine[] = [];
  const { ino: inode, size, mtimeMs } = fstatSync(fd);
  const changedAt = Math.trunc(Math.min(now(), mtimeMs));
  const unnoted = { end: size, time: now() - changedAt < RECENT_MS ? changedAt : null };
  const isOfThisFile = (times.current.at(-1)?.end ?? 0) <= size;
  let timeAt = createTimeline(isOfThisFile ? [...times.current, unnoted] : [{ end: size, time: null }], now);
  let lastTime: number | null = null;
  let offset = Math.max(0, size - EARLIER_BYTES);
  const earlier = offset === 0 ? readEnd(`${path}.1`, EARLIER_BYTES - size) : null;
  // Where the reading begins inside a line, there is only its end, in which a cut secret would not be recognized.
  let isInLine = offset > 0;
  if (earlier !== null) {
    const end = times.earlier.at(-1)?.end ?? 0;
    splitLines(
      earlier,
      end - earlier.length,
      createTimeline(times.earlier, () => null),
    );
  }

  /** A short password becomes longer when it is hidden, and the control plane accepts no line that is too long. */
  function hide(line: string): string {
    return cutLine(mask(line));
  }

  /** @param from where the chunk begins in its file */
  function splitLines(chunk: Buffer, from: number, recordAt: Timeline): void {
    const start = isInLine ? chunk.indexOf("\n") + 1 : 0;
    if (isInLine && start === 0) return;
    isInLine = false;
    for (let at = start; at < chunk.length;) {
      const { end, time } = recordAt(from + at);
      const lines = splitter.push(chunk.subarray(at, end - from));
      waiting.push(...lines.map((line) => ({ message: hide(line), time })));
      lastTime = time;
      at = end - from;
    }
  }

  function readOn(file: number, maxBytes: number): void {
    for (let left = maxBytes; left > 0;) {
      const length = readSync(file, buffer, 0, CHUNK_BYTES, offset);
      if (length === 0) {
        // Another process has emptied the file.
        if (fstatSync(file).size < offset) begin();
        return;
      }
      offset += length;
      left -= length;
      splitLines(buffer.subarray(0, length), offset - length, timeAt);
    }
  }

  /** The file was emptied. */
  function begin(): void {
    offset = 0;
    timeAt = createTimeline([], now);
  }

  function removeWaiting(): TimedLine[] {
    const lines = waiting;
    waiting = [];
    return lines;
  }

  return {
    inode,
    read(maxBytes) {
      readOn(fd, maxBytes);
      return removeWaiting();
    },
    catchUp() {
      readOn(fd, Infinity);
      begin();
    },
    end() {
      try {
        readOn(fd, Infinity);
      } finally {
        closeSync(fd);
      }
      const rest = splitter.end();
      return rest === null ? removeWaiting() : [...removeWaiting(), { message: hide(rest), time: lastTime }];
    },
  };
}

/** The record of a byte of a log. Positions rise from call to call. */
type Timeline = (position: number) => OutputTime;

/** @param after the time of what follows the last record */
function createTimeline(records: readonly OutputTime[], after: () => number | null): Timeline {
  let next = 0;
  return (position) => {
    while ((records[next]?.end ?? Infinity) <= position) next += 1;
    return records[next] ?? { end: Infinity, time: after() };
  };
}

/** The project's user can replace a log with a link to a file that only the agent may read. */
function openLog(path: string): number | null {
  let fd: number | null = null;
  try {
    fd = openSync(path, READ_FILE);
    const found = fstatSync(fd);
    if (found.isFile() && found.nlink === 1) return fd;
  } catch {
    // There is no such file.
  }
  if (fd !== null) closeSync(fd);
  return null;
}

/** The last lines of a file, of this many bytes at most. */
function readEnd(path: string, maxBytes: number): Buffer | null {
  const fd = openLog(path);
  if (fd === null) return null;
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - maxBytes);
    const buffer = Buffer.alloc(size - start);
    const read = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, start));
    return start === 0 ? read : read.subarray(read.indexOf("\n") + 1);
  } finally {
    closeSync(fd);
  }
}
