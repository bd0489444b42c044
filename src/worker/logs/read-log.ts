import type { LogOwner } from "#worker/logs/log-keys.ts";
import type { LogStore } from "#worker/logs/log-store.ts";
import { type StoredLine, storedLines } from "#worker/logs/stored-lines.ts";

/** The lines from one on that have not been put together into one object yet, or the first of them. */
export type UnfinishedLines = {
  /** Parts in R2, by their first lines. The first may begin before the line that was asked for. */
  readonly parts: readonly number[];
  /** What follows the parts. If there are none, the first may begin before the line that was asked for. */
  readonly buffered: readonly { readonly firstLine: number; readonly ndjson: string }[];
  /** Where to go on. */
  readonly nextLine: number;
  /** Whether there are no more lines at this moment. */
  readonly isAll: boolean;
};

export type LogPlaces = {
  readonly store: LogStore;
  readonly owner: LogOwner;
  /** Asks the lane; null where it holds nothing of the log, because it is finished, or gone, or has never been. */
  readonly unfinished: (fromLine: number) => Promise<UnfinishedLines | null>;
};

/**
 * The same as readLog; null where there is no log at all: neither in R2 nor in the lane. A log that is there has one
 * line at least, so also where none follows `fromLine`, it is told from one that is not.
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
 * A deployment's log from a line on, some lines at a time, without a gap or a line twice, wherever they stand now and
 * wherever they are moved meanwhile.
 *
 * @param hasEnded whether the deployment has: then the finished log is looked for first, or else the lane is asked first
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
      // The parts went because the log was finished meanwhile. The lane says so when it is asked again.
      if (stopped === missing) throw new Error(`the log of ${owner.deploymentId} lacks its line ${stopped}`);
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

/** @returns the line from which on a part was not there any more; null: all were */
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
