import type { LogOwner } from "#worker/logs/log-keys.ts";
import type { LogStore } from "#worker/logs/log-store.ts";
import { type StoredLine, storedLines } from "#worker/logs/stored-lines.ts";

/** Some lines of a log that is not one complete object yet. */
export type UnfinishedLines = {
  /** The first lines of parts in R2. The first part may begin before the requested line. */
  readonly parts: readonly number[];
  /** The lines after the parts. Without parts, the first chunk may begin before the requested line. */
  readonly buffered: readonly { readonly firstLine: number; readonly ndjson: string }[];
  /** The line to request next. */
  readonly nextLine: number;
  /** Whether these are all lines so far. */
  readonly isAll: boolean;
};

export type LogPlaces = {
  readonly store: LogStore;
  readonly owner: LogOwner;
  /** Asks the lane; null if it has nothing of the log: the log is complete in R2, was removed, or never existed. */
  readonly unfinished: (fromLine: number) => Promise<UnfinishedLines | null>;
};

/**
 * As `readLog`, but null if there is no log in R2 and in the lane. A log without lines after `fromLine` is not null:
 * every log has at least one line.
 */
export async function openLog(
  places: LogPlaces,
  fromLine: number,
  hasEnded: boolean,
): Promise<AsyncIterable<readonly StoredLine[]> | null> {
  const lines = readLog(places, fromLine, hasEnded);
  const first = await lines.next();
  if (first.done !== true) return continued(first.value, lines);
  return first.value === "absent" ? null : lines;
}

async function* continued<Value>(first: Value, rest: AsyncIterable<Value>): AsyncGenerator<Value> {
  yield first;
  yield* rest;
}

/**
 * Reads a deployment's log from a line on, some lines at a time. Yields each line once, without gaps, also if lines move
 * from the lane to R2 during the read.
 *
 * @param hasEnded whether the deployment has ended: if so, reads the complete object first, otherwise the lane first
 */
export async function* readLog(
  places: LogPlaces,
  fromLine: number,
  hasEnded: boolean,
): AsyncGenerator<readonly StoredLine[], "read" | "absent"> {
  const { store, owner, unfinished } = places;
  const whole = hasEnded ? await store.openWhole(owner, fromLine) : null;
  if (whole !== null) {
    yield* storedLines(whole, fromLine);
    return "read";
  }
  for (let at = fromLine, missing = 0; ;) {
    const rest = await unfinished(at);
    if (rest === null) {
      const finished = await store.openWhole(owner, at);
      if (finished === null) return at === fromLine ? "absent" : "read";
      yield* storedLines(finished, at);
      return "read";
    }
    const stopped = yield* readParts(places, rest, at);
    if (stopped !== null) {
      // The parts were deleted because the log was completed in the meantime. The next answer of the lane shows that.
      if (stopped === missing) throw new Error(`the log of ${owner.deploymentId} has no line ${stopped}`);
      at = missing = stopped;
      continue;
    }
    yield* storedLines(
      rest.buffered.map((chunk) => chunk.ndjson),
      at,
    );
    if (rest.isAll) return "read";
    at = rest.nextLine;
  }
}

/** @returns the first line of a part that no longer exists; null: all parts were read */
async function* readParts(
  { store, owner }: LogPlaces,
  { parts }: UnfinishedLines,
  fromLine: number,
): AsyncGenerator<readonly StoredLine[], number | null> {
  for (const firstLine of parts) {
    const part = await store.getPart(owner, firstLine);
    if (part === null) return Math.max(fromLine, firstLine);
    yield* storedLines([new TextDecoder().decode(part)], fromLine);
  }
  return null;
}
