// The messages between a follower of a log and the lane. A follower sends `after <line>` each time its own client can
// take more, and gets one answer: the following lines as NDJSON, as soon as there are some, or one of these words. So
// the lane buffers nothing for a slow client.

export const laneWords = {
  /** The next line is in R2: read it there, then send the next request. */
  stored: "stored",
  /** The log ended with this line. */
  ended: "ended",
  /** The lane has nothing of the log: it is complete in R2, or deleted. */
  gone: "gone",
} as const;

export type LaneWord = keyof typeof laneWords;

/** The runtime answers pings without waking the lane. */
export const LANE_PING = "ping";
export const LANE_PONG = "pong";

export const askAfter = (line: number) => `after ${line}`;

/** The last line that the follower has read; null if the message has another form. */
export function parseAsk(message: string): number | null {
  const line = /^after (\d{1,9})$/.exec(message)?.[1];
  return line === undefined ? null : Number(line);
}
