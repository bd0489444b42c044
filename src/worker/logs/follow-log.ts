import type { LaneFollower, LaneNews } from "#worker/logs/lane-follower.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { backOffMs } from "#contract/lib/back-off.ts";
import { pause } from "#contract/lib/pause.ts";

/** `alive`: nothing has happened for a while. `end`: no more lines will come. */
export type LogEvent<End> =
  | { readonly type: "lines"; readonly lines: readonly StoredLine[] }
  | { readonly type: "alive" }
  | { readonly type: "end"; readonly end: End };

export type FollowedLog<End> = {
  /** What is there from a line on. */
  readonly read: (fromLine: number) => AsyncIterable<readonly StoredLine[]>;
  readonly connect: () => Promise<LaneFollower>;
  /** How the deployment ended; null where the database does not say so yet. */
  readonly ending: () => Promise<End | null>;
  /** How often there is an event at least. */
  readonly heartbeatMs: number;
};

const MAX_FAILURES = 5;
const BETWEEN_TRIES = { firstMs: 50, longestMs: 1000 };

/**
 * A log from after a line on, first what is there and then what comes, each line once, to its end. Where the lane is
 * restarted or a part of the platform fails, it goes on by itself from the last line; after five failures in a row, or
 * once `signal` is aborted, it stops without an `end`.
 */
export async function* followLog<End>(
  log: FollowedLog<End>,
  afterLine: number,
  signal: AbortSignal,
): AsyncGenerator<LogEvent<End>> {
  let last = afterLine;
  for (let failures = 0; !signal.aborted;) {
    try {
      for await (const event of followOnce(log, last, signal)) {
        if (event.type === "lines") last = event.lines.at(-1)?.line ?? last;
        yield event;
        if (event.type === "end") return;
        failures = 0;
      }
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      console.warn(JSON.stringify({ level: "warn", at: "follow log", failures, message: String(error) }));
      if (failures === MAX_FAILURES) return;
    }
    await pause(backOffMs(failures + 1, BETWEEN_TRIES), signal);
  }
}

/** Follows over one link to the lane, until that is cut, or until the end. */
async function* followOnce<End>(
  log: FollowedLog<End>,
  afterLine: number,
  signal: AbortSignal,
): AsyncGenerator<LogEvent<End>> {
  let last = afterLine;
  const follower = await log.connect();
  const close = () => follower.close();
  signal.addEventListener("abort", close);
  try {
    for (;;) {
      follower.ask(last);
      let news: LaneNews | null = null;
      while (news === null) {
        news = await follower.news(log.heartbeatMs);
        if (news === null) yield { type: "alive" };
      }
      if (news.kind === "lines") {
        yield { type: "lines", lines: news.lines };
        last = news.lines.at(-1)?.line ?? last;
        continue;
      }
      if (news.kind !== "ended") {
        for await (const lines of log.read(last + 1)) {
          yield { type: "lines", lines };
          last = lines.at(-1)?.line ?? last;
        }
      }
      if (news.kind === "stored") continue;
      const end = await log.ending();
      if (end !== null) {
        yield { type: "end", end };
        return;
      }
      yield { type: "alive" };
      await pause(log.heartbeatMs / 10, signal);
    }
  } finally {
    signal.removeEventListener("abort", close);
    follower.close();
  }
}
