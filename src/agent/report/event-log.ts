import { type OutputLine, type RunEvent } from "#contract/agent-protocol.ts";

type WithoutSeq<Event> = Event extends RunEvent ? Omit<Event, "seq"> : never;
export type NewRunEvent = WithoutSeq<Exclude<RunEvent, { type: "output" }>>;

/**
 * The events of one run that the control plane has not stored yet, numbered without a gap.
 * Lines gather in the newest output event until that is sent for the first time; from then on no event changes.
 */
export type EventLog = {
  append(event: NewRunEvent): void;
  appendLine(line: OutputLine): void;
  /** The oldest unacknowledged events up to so many bytes of JSON, but at least one; empty when there are none. */
  batch(maxBytes: number): readonly RunEvent[];
  /** Forgets every event up to this one. @returns whether that were any */
  acknowledge(seq: number): boolean;
  /** Bytes of JSON that are kept. */
  readonly bytes: number;
};

const MAX_EVENTS = 500;
const MAX_LINES = 2000;

type Entry = { readonly event: RunEvent; bytes: number; isSealed: boolean };

/** @param firstSeq the number of the first event; 1 unless an earlier life of the agent has sent some */
export function createEventLog(firstSeq: number, maxEventBytes: number): EventLog {
  let entries: Entry[] = [];
  let nextSeq = firstSeq;
  let bytes = 0;

  function add(event: RunEvent, size: number): void {
    entries.push({ event, bytes: size, isSealed: event.type !== "output" });
    nextSeq += 1;
    bytes += size;
  }

  return {
    append(event) {
      const numbered: RunEvent = { ...event, seq: nextSeq };
      add(numbered, jsonBytes(numbered));
    },
    appendLine(line) {
      const size = jsonBytes(line) + 1;
      const last = entries.at(-1);
      if (
        last !== undefined &&
        !last.isSealed &&
        last.event.type === "output" &&
        last.event.lines.length < MAX_LINES &&
        last.bytes + size <= maxEventBytes
      ) {
        last.event.lines.push(line);
        last.bytes += size;
        bytes += size;
        return;
      }
      const event: RunEvent = { seq: nextSeq, type: "output", lines: [line] };
      add(event, size + 60);
    },
    batch(maxBytes) {
      const events: RunEvent[] = [];
      let size = 0;
      for (const entry of entries) {
        if (events.length > 0 && (size + entry.bytes > maxBytes || events.length >= MAX_EVENTS)) break;
        entry.isSealed = true;
        events.push(entry.event);
        size += entry.bytes;
      }
      return events;
    },
    acknowledge(seq) {
      const kept = entries.filter((entry) => entry.event.seq > seq);
      const wereAny = kept.length < entries.length;
      entries = kept;
      bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0);
      return wereAny;
    },
    get bytes() {
      return bytes;
    },
  };
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
