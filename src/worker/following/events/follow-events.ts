import type { Event } from "#contract/endpoints/events/schemas.ts";
import { pause } from "#contract/lib/pause.ts";
import type { StoredEvent } from "#worker/db/events/event-records.ts";
import { type Connect, connected } from "#worker/following/connect.ts";
import { keepFollowing } from "#worker/following/keep-following.ts";
import type { ObjectFollower } from "#worker/following/object-follower.ts";

/** `alive`: a heartbeat without events. */
export type FeedEvent =
  | { readonly type: "events"; readonly events: readonly Event[] }
  | { readonly type: "alive" };

export type FollowedFeed = {
  readonly connect: Connect<ObjectFollower<number>>;
  /** The events with a number above `after`, up to `until`, that the client may see: oldest first, at most `limit`. */
  readonly read: (range: EventRange, limit: number) => Promise<readonly StoredEvent[]>;
  /** The number of the newest event, also if the client may not see that event. */
  readonly newest: () => Promise<number>;
  /** The longest time between two events. */
  readonly heartbeatMs: number;
};

export type EventRange = { readonly after: number; readonly until: number };

const PAGE = 100;
/** Events that come within this time are read together. */
const BETWEEN_READS_MS = 250;
/**
 * An invocation on the free plan can make 50 requests, and 20 of them check the token. After these, the stream ends,
 * and the client connects again.
 */
const MAX_READS = 25;

/** How far a stream is, and how often it may still read. */
type Progress = { last: number; readsLeft: number };

/**
 * Follows the events of an account: all events after a number, then new events as they are written. Never ends, except
 * after many reads, after five consecutive failures, or when `signal` is aborted.
 */
export async function* followEvents(
  followed: FollowedFeed,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<FeedEvent> {
  const progress = { last: after, readsLeft: MAX_READS };
  yield* keepFollowing("follow events", () => followOnce(followed, progress, signal), signal);
}

/** Follows over one connection to the feed. */
async function* followOnce(
  followed: FollowedFeed,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<FeedEvent> {
  const { connect, heartbeatMs } = followed;
  const follower = await connected(connect);
  const close = () => follower.close();
  signal.addEventListener("abort", close);
  // The signal may have been aborted during the connection.
  if (signal.aborted) close();
  try {
    progress.readsLeft -= 1;
    let newest: number | null = await followed.newest();
    for (;;) {
      yield* readUntil(followed, newest, progress);
      if (progress.readsLeft <= 0) return;
      await pause(BETWEEN_READS_MS, signal);
      follower.ask(progress.last);
      newest = null;
      while (newest === null) {
        newest = await follower.news(heartbeatMs);
        if (newest === null) yield { type: "alive" };
      }
    }
  } finally {
    signal.removeEventListener("abort", close);
    follower.close();
  }
}

async function* readUntil(
  { read }: FollowedFeed,
  until: number,
  progress: Progress,
): AsyncGenerator<FeedEvent> {
  // A restored database has given up the numbers above.
  progress.last = Math.min(progress.last, until);
  while (progress.last < until && progress.readsLeft > 0) {
    progress.readsLeft -= 1;
    const found = await read({ after: progress.last, until }, PAGE);
    if (found.length > 0) yield { type: "events", events: found.map(({ event }) => event) };
    progress.last = found.length < PAGE ? until : (found.at(-1)?.sequence ?? until);
  }
}
