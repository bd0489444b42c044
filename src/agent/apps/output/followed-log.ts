import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import { READ_FILE } from "#node/open-flags.ts";
import { cutLine } from "#build/process/cut-line.ts";
import { createLineSplitter } from "#build/process/line-splitter.ts";
import type { Mask } from "#contract/mask.ts";

const CHUNK_BYTES = 64 * 1024;
/** How much of what was printed before is read at first. */
const EARLIER_BYTES = 256 * 1024;

/** The log of an instance, read as it is appended to. All methods are synchronous, and throw if the disk fails. */
export type FollowedLog = {
  /** The file that is read: another one at the same path is another log. */
  readonly inode: number;
  /** The lines that were completed since the last call, of about this many bytes. The first call has earlier lines too. */
  read(maxBytes: number): string[];
  /** Reads the file to its end, because it is emptied now. The next `read` has these lines. */
  catchUp(): void;
  /** The rest, with an unfinished line. */
  end(): string[];
};

/** Opens a log at the end of what the instance printed, after its last lines. @returns `null` when there is none */
export function openFollowedLog(path: string, mask: Mask): FollowedLog | null {
  const fd = openLog(path);
  if (fd === null) return null;
  const splitter = createLineSplitter(mask);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let waiting: string[] = [];
  const { ino: inode, size } = fstatSync(fd);
  let offset = Math.max(0, size - EARLIER_BYTES);
  const earlier = offset === 0 ? readEnd(`${path}.1`, EARLIER_BYTES - size) : null;
  // Where the reading begins inside a line, there is only its end, in which a cut secret would not be recognized.
  let isInLine = offset > 0;
  if (earlier !== null) take(earlier);

  /** A short password becomes longer when it is hidden, and the control plane accepts no line that is too long. */
  function hide(line: string): string {
    return cutLine(mask(line));
  }

  function take(chunk: Buffer): void {
    const start = isInLine ? chunk.indexOf("\n") + 1 : 0;
    if (isInLine && start === 0) return;
    isInLine = false;
    waiting.push(...splitter.push(chunk.subarray(start)).map(hide));
  }

  function readOn(file: number, maxBytes: number): void {
    for (let left = maxBytes; left > 0;) {
      const length = readSync(file, buffer, 0, CHUNK_BYTES, offset);
      if (length === 0) {
        // Another process has emptied the file.
        if (fstatSync(file).size < offset) offset = 0;
        return;
      }
      offset += length;
      left -= length;
      take(buffer.subarray(0, length));
    }
  }

  function takeWaiting(): string[] {
    const lines = waiting;
    waiting = [];
    return lines;
  }

  return {
    inode,
    read(maxBytes) {
      readOn(fd, maxBytes);
      return takeWaiting();
    },
    catchUp() {
      readOn(fd, Infinity);
      offset = 0;
    },
    end() {
      try {
        readOn(fd, Infinity);
      } finally {
        closeSync(fd);
      }
      const rest = splitter.end();
      return rest === null ? takeWaiting() : [...takeWaiting(), hide(rest)];
    },
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
