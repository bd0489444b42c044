import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { hasCode } from "#node/has-code.ts";
import { pause } from "#contract/lib/pause.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { RunEvent } from "#contract/agent-protocol.ts";
import type { RunId } from "#contract/ids.ts";

/**
 * The file of a run's events that did not reach the control plane at once: one event a line, in order.
 * It is read from its beginning while it grows at its end, and emptied once all of it has arrived.
 * Synchronous, because what is in it must survive the agent's death at the next moment.
 */
export type Spool = {
  /** @returns whether they are in the file; on a full disk, or one that is over its bound, it is as it was before */
  append(events: readonly RunEvent[]): boolean;
  /** The next events that were not read yet, some `maxBytes` of them but at least one; empty when there are none. */
  read(maxBytes: number): readonly SpooledEvent[];
  /** Bytes that were not read yet. */
  readonly unread: number;
  /** Empties the file: all of it has arrived. */
  clear(): void;
  /** Lets go of the file; what is in it stays. */
  close(): void;
  /** Lets go of the file, and removes it. */
  remove(): void;
};

export type SpooledEvent = { readonly event: RunEvent; readonly bytes: number };

const LINE_END = 10;
const SCAN_BYTES = 1024 * 1024;

function spoolPath(folder: ProjectFolder, runId: RunId): string {
  return join(folder.spool, `${runId}.ndjson`);
}

/** @param size how much of the file there is already; nothing is made before the first event is written */
export function openSpool(folder: ProjectFolder, runId: RunId, maxBytes: number, size = 0): Spool {
  const path = spoolPath(folder, runId);
  let file: number | null = null;
  let end = size;
  let next = 0;
  let isClosed = false;

  function open(): number {
    if (file !== null) return file;
    // Not its parents: a project that was removed meanwhile must not come back.
    if (end === 0) mkdirIfMissing(dirname(path));
    file = openSync(path, end === 0 ? "w+" : "r+", 0o600);
    return file;
  }

  function close(): void {
    isClosed = true;
    end = 0;
    next = 0;
    if (file !== null) closeSync(file);
    file = null;
  }

  return {
    append(events) {
      if (isClosed) return false;
      const text = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
      if (end + text.length > maxBytes) return false;
      try {
        const opened = open();
        let written = 0;
        while (written < text.length)
          written += writeSync(opened, text, written, text.length - written, end + written);
        end += text.length;
        return true;
      } catch {
        if (file !== null) ftruncateSync(file, end);
        return false;
      }
    },
    read(maxRead) {
      if (isClosed || next >= end) return [];
      const text = readLines(open(), next, end, maxRead);
      const events: SpooledEvent[] = [];
      for (const line of text.split("\n").slice(0, -1)) {
        const event = parseEvent(line);
        if (event === null) break;
        const bytes = Buffer.byteLength(line) + 1;
        events.push({ event, bytes });
        next += bytes;
      }
      // Torn, or not what was written: nothing of it can be told any more.
      if (events.length === 0) end = next;
      return events;
    },
    get unread() {
      return end - next;
    },
    clear() {
      if (isClosed || end === 0) return;
      ftruncateSync(open(), 0);
      end = 0;
      next = 0;
    },
    close,
    remove() {
      close();
      // Also where nothing was written: an earlier life may have left a file, or a full disk no more than the folder.
      removeSpool(folder, runId);
    },
  };
}

export type Remains = { readonly spool: Spool; readonly firstSeq: number; readonly lastSeq: number };

/**
 * Opens the spool that an earlier life of the agent has left, without what is torn at its end. The request for the
 * permit and the result are cut off as well: the run that asked is no more, and how it ended is told anew.
 * @returns `null` when nothing is in it, and then it is no more
 */
export async function reopenSpool(
  folder: ProjectFolder,
  runId: RunId,
  maxBytes: number,
): Promise<Remains | null> {
  const path = spoolPath(folder, runId);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const old = openSpool(folder, runId, maxBytes, size);
  let bytes = 0;
  let firstSeq = 0;
  let lastSeq = 0;
  for (let isWhole = true; isWhole && old.unread > 0; await pause(0)) {
    for (const { event, bytes: length } of old.read(SCAN_BYTES)) {
      if (firstSeq === 0) firstSeq = event.seq;
      else isWhole = event.seq === lastSeq + 1;
      if (!isWhole || event.type === "ready" || event.type === "result") {
        isWhole = false;
        break;
      }
      lastSeq = event.seq;
      bytes += length;
    }
  }
  old.close();
  if (lastSeq === 0) {
    removeSpool(folder, runId);
    return null;
  }
  truncateSync(path, bytes);
  return { spool: openSpool(folder, runId, maxBytes, bytes), firstSeq, lastSeq };
}

/** Whole lines from a place in a file on, up to so many bytes but at least one; empty when there is none. */
function readLines(file: number, from: number, end: number, maxBytes: number): string {
  for (let size = maxBytes; ; size *= 2) {
    const text = Buffer.alloc(Math.min(size, end - from));
    const count = readSync(file, text, 0, text.length, from);
    const length = text.subarray(0, count).lastIndexOf(LINE_END) + 1;
    if (length > 0 || count < size) return text.toString("utf8", 0, length);
  }
}

/** Removes what runs of the past have left, besides the one whose events are still to be delivered. */
export function removeOtherSpools(folder: ProjectFolder, runId: RunId | null): void {
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder.spool);
  } catch {
    return;
  }
  for (const name of names) if (name !== `${runId}.ndjson`) rmSync(join(folder.spool, name), { force: true });
  rmdirIfEmpty(folder.spool);
}

/** Removes a run's spool with all that is in it. Never throws. */
export function removeSpool(folder: ProjectFolder, runId: RunId): void {
  try {
    rmSync(spoolPath(folder, runId), { force: true });
  } catch {
    // The next start removes it.
  }
  rmdirIfEmpty(folder.spool);
}

function mkdirIfMissing(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

function rmdirIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another run's events are in it, or it was never made.
  }
}

function parseEvent(line: string): RunEvent | null {
  try {
    return RunEvent.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
