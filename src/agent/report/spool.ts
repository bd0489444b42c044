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

import { attempt } from "#node/attempt.ts";
import { hasCode } from "#node/has-code.ts";
import { pause } from "#contract/lib/pause.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { RunEvent } from "#contract/agent-events.ts";
import type { RunId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";

const storedEvent = storedAs(RunEvent);

/**
 * A file with the events of a run that were not delivered at once: one event per line, in order. It is read from its
 * beginning while it grows at its end, and emptied once everything is delivered. Writes are synchronous, because
 * events in the file must survive if the agent dies the next moment.
 */
export type Spool = {
  /** @returns whether the events were written; if the disk is full or the size limit reached, the file is unchanged */
  append(events: readonly RunEvent[]): boolean;
  /** The next unread events, about `maxBytes` of them but at least one; empty when there are none. */
  read(maxBytes: number): readonly SpooledEvent[];
  /** Unread bytes. */
  readonly unread: number;
  /** Empties the file once all its events are delivered. */
  clear(): void;
  /** Closes the file and keeps its content. */
  close(): void;
  /** Closes and deletes the file. */
  remove(): void;
};

export type SpooledEvent = { readonly event: RunEvent; readonly bytes: number };

const LINE_END = 10;
const SCAN_BYTES = 1024 * 1024;

function spoolPath(folder: ProjectFolder, runId: RunId): string {
  return join(folder.spool, `${runId}.ndjson`);
}

/** @param size the file's current size; no file is created before the first event is written */
export function openSpool(folder: ProjectFolder, runId: RunId, maxBytes: number, size = 0): Spool {
  const path = spoolPath(folder, runId);
  let file: number | null = null;
  let end = size;
  let next = 0;
  let isClosed = false;

  function open(): number {
    if (file !== null) return file;
    // Without parent folders: a project that was removed in the meantime must not be created again.
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
        const event = attempt(() => storedEvent.parse(JSON.parse(line)), null);
        if (event === null) break;
        const bytes = Buffer.byteLength(line) + 1;
        events.push({ event, bytes });
        next += bytes;
      }
      // The rest is torn or not valid, so it cannot be delivered.
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
      // Also when nothing was written: an earlier agent process may have left a file, or a full disk an empty folder.
      removeSpool(folder, runId);
    },
  };
}

export type Remains = { readonly spool: Spool; readonly firstSeq: number; readonly lastSeq: number };

/**
 * Opens the spool that an earlier agent process left, without a torn end. The permit request and the result are cut
 * off as well: the run that asked has ended, and its result is reported again.
 * @returns `null` when the spool has no events; its file is deleted then
 */
export async function reopenSpool(
  folder: ProjectFolder,
  runId: RunId,
  maxBytes: number,
): Promise<Remains | null> {
  const path = spoolPath(folder, runId);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const earlier = openSpool(folder, runId, maxBytes, size);
  let bytes = 0;
  let firstSeq = 0;
  let lastSeq = 0;
  for (let isWhole = true; isWhole && earlier.unread > 0; await pause(0)) {
    for (const { event, bytes: length } of earlier.read(SCAN_BYTES)) {
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
  earlier.close();
  if (lastSeq === 0) {
    removeSpool(folder, runId);
    return null;
  }
  truncateSync(path, bytes);
  return { spool: openSpool(folder, runId, maxBytes, bytes), firstSeq, lastSeq };
}

/** Reads complete lines from an offset, up to `maxBytes` but at least one; empty when there is none. */
function readLines(file: number, from: number, end: number, maxBytes: number): string {
  for (let size = maxBytes; ; size *= 2) {
    const text = Buffer.alloc(Math.min(size, end - from));
    const count = readSync(file, text, 0, text.length, from);
    const length = text.subarray(0, count).lastIndexOf(LINE_END) + 1;
    if (length > 0 || count < size) return text.toString("utf8", 0, length);
  }
}

/** Removes the spools of earlier runs, except a spool whose events are still to be delivered. */
export function removeOtherSpools(folder: ProjectFolder, runId: RunId | null): void {
  for (const name of attempt(() => readdirSync(folder.spool), []))
    if (name !== `${runId}.ndjson`) rmSync(join(folder.spool, name), { force: true });
  // Fails while the folder has the spool of another run.
  attempt(() => rmdirSync(folder.spool), null);
}

/** Removes a run's spool. Never throws. */
export function removeSpool(folder: ProjectFolder, runId: RunId): void {
  // After a failure, the next start removes it.
  attempt(() => rmSync(spoolPath(folder, runId), { force: true }), null);
  // Fails while the folder has the spool of another run.
  attempt(() => rmdirSync(folder.spool), null);
}

function mkdirIfMissing(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
