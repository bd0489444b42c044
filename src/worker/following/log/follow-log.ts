import { type Connect, connected } from "#worker/following/connect.ts";
import { keepFollowing } from "#worker/following/keep-following.ts";
import type { LaneFollower, LaneNews } from "#worker/following/log/lane-follower.ts";
import type { StoredLine } from "#worker/logs/stored-lines.ts";
import { pause } from "#contract/lib/pause.ts";

/** `alive`: a heartbeat without lines. `end`: no more lines follow. */
export type LogEvent<End> =
  | { readonly type: "lines"; readonly lines: readonly StoredLine[] }
  | { readonly type: "alive" }
  | { readonly type: "end"; readonly end: End };

export type LogSource<End> = {
  /** The stored lines from `fromLine` on. */
  readonly read: (fromLine: number) => AsyncIterable<readonly StoredLine[]>;
  readonly connect: Connect<LaneFollower>;
  /** How the deployment ended; null if D1 does not have it yet. */
  readonly ending: () => Promise<End | null>;
  /** The longest time between two events. */
  readonly heartbeatMs: number;
};

/**
 * Follows a log from `afterLine` to its end: first the stored lines, then new ones, each line once. If the lane restarts
 * or the platform fails, it reconnects and continues after the last line. It stops without an `end` after five
 * consecutive failures, or when `signal` is aborted.
 */
export async function* followLog<End>(
  log: LogSource<End>,
  afterLine: number,
  signal: AbortSignal,
): AsyncGenerator<LogEvent<End>> {
  let last = afterLine;
  yield* keepFollowing(
    "follow log",
    async function* () {
      for await (const event of followOnce(log, last, signal)) {
        if (event.type === "lines") last = event.lines.at(-1)?.line ?? last;
        yield event;
      }
    },
    signal,
  );
}

/** Follows over one connection to the lane, until it closes or the log ends. */
async function* followOnce<End>(
  log: LogSource<End>,
  afterLine: number,
  signal: AbortSignal,
): AsyncGenerator<LogEvent<End>> {
  let last = afterLine;
  const follower = await connected(log.connect);
  const close = () => follower.close();
  signal.addEventListener("abort", close);
  // The signal may have been aborted during the connection.
  if (signal.aborted) close();
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
