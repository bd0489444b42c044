import type { Spool } from "#agent/report/spool.ts";
import { MAX_EVENTS, MAX_OUTPUT_LINES, type OutputLine, type RunEvent } from "#contract/agent-events.ts";

type WithoutSeq<Event> = Event extends RunEvent ? Omit<Event, "seq"> : never;
export type NewRunEvent = WithoutSeq<Exclude<RunEvent, { type: "output" }>>;

/**
 * The events of one run that the control plane has not stored yet, numbered without gaps. Output lines are added to
 * the newest output event until it is sent or spilled; after that, no event changes. The oldest events may be in the
 * spool; the newest are in memory.
 */
export type EventLog = {
  append(event: NewRunEvent): void;
  appendLine(line: OutputLine): void;
  /** The oldest unacknowledged events, up to `maxBytes` of JSON but at least one; empty when there are none. */
  batch(maxBytes: number): readonly RunEvent[];
  /** Drops every event up to this number. @returns whether any event was dropped */
  acknowledge(seq: number): boolean;
  /** Moves all events from memory to the spool. @returns whether memory is empty now */
  spill(): boolean;
  /** Unacknowledged bytes of JSON. */
  readonly bytes: number;
  /** The part of `bytes` that is in memory only. */
  readonly memoryBytes: number;
  /** When the oldest event in memory was added; `null` when there is none. */
  readonly memorySince: number | null;
};

export type EventLogOptions = {
  /** The number of the next event; 1, unless an earlier agent process sent events of the run. */
  readonly firstSeq: number;
  /** The last event that the control plane is known to have stored. */
  readonly ackedSeq: number;
  readonly maxEventBytes: number;
  readonly spool: Spool;
  /** Monotonic milliseconds. */
  readonly now: () => number;
};

/** How much of the spool is read into memory at a time: as much as a request may have. */
const WINDOW_BYTES = 192 * 1024;

type Entry = { readonly event: RunEvent; bytes: number };
type NewEntry = Entry & { isSealed: boolean; readonly since: number };

export function createEventLog(options: EventLogOptions): EventLog {
  const { maxEventBytes, spool, now } = options;
  let nextSeq = options.firstSeq;
  let ackedSeq = options.ackedSeq;
  /** Events read from the spool and not acknowledged yet; older than all of `newest`. */
  let oldest: readonly Entry[] = [];
  let newest: NewEntry[] = [];
  let oldestBytes = 0;
  let newestBytes = 0;
  advance();

  function add(event: RunEvent, bytes: number): void {
    newest.push({ event, bytes, isSealed: event.type !== "output", since: now() });
    nextSeq += 1;
    newestBytes += bytes;
  }

  /** Skips acknowledged events in the spool, and empties the spool when all are acknowledged. */
  function advance(): void {
    oldest = oldest.filter(isUnacknowledged);
    while (oldest.length === 0 && spool.unread > 0)
      oldest = spool.read(WINDOW_BYTES).filter(isUnacknowledged);
    oldestBytes = sizeOf(oldest);
    if (oldest.length === 0) spool.clear();
  }

  function isUnacknowledged(entry: Entry): boolean {
    return entry.event.seq > ackedSeq;
  }

  return {
    append(event) {
      const numbered: RunEvent = { ...event, seq: nextSeq };
      add(numbered, jsonBytes(numbered));
    },
    appendLine(line) {
      const size = jsonBytes(line) + 1;
      const last = newest.at(-1);
      if (
        last !== undefined &&
        !last.isSealed &&
        last.event.type === "output" &&
        last.event.lines.length < MAX_OUTPUT_LINES &&
        last.bytes + size <= maxEventBytes
      ) {
        last.event.lines.push(line);
        last.bytes += size;
        newestBytes += size;
        return;
      }
      const event: RunEvent = { seq: nextSeq, type: "output", lines: [line] };
      add(event, size + 60);
    },
    batch(maxBytes) {
      if (oldest.length === 0 && spool.unread > 0) advance();
      const events: RunEvent[] = [];
      let size = 0;
      for (const entry of oldest.length > 0 ? oldest : newest) {
        if (events.length > 0 && (size + entry.bytes > maxBytes || events.length >= MAX_EVENTS)) break;
        events.push(entry.event);
        size += entry.bytes;
      }
      if (oldest.length === 0) for (const entry of newest.slice(0, events.length)) entry.isSealed = true;
      return events;
    },
    acknowledge(seq) {
      const before = oldestBytes + spool.unread + newestBytes;
      ackedSeq = Math.max(ackedSeq, seq);
      // `seq` can be higher than any number given here, when a request of an earlier agent process was stored after
      // it died.
      nextSeq = Math.max(nextSeq, ackedSeq + 1);
      advance();
      newest = newest.filter(isUnacknowledged);
      newestBytes = sizeOf(newest);
      return oldestBytes + spool.unread + newestBytes < before;
    },
    spill() {
      if (newest.length === 0) return true;
      for (const entry of newest) entry.isSealed = true;
      if (!spool.append(newest.map(({ event }) => event))) return false;
      newest = [];
      newestBytes = 0;
      return true;
    },
    get bytes() {
      return oldestBytes + spool.unread + newestBytes;
    },
    get memoryBytes() {
      return newestBytes;
    },
    get memorySince() {
      return newest[0]?.since ?? null;
    },
  };
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
