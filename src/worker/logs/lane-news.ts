// What a follower of a log and the lane say to each other over their WebSocket. A follower says `after <line>` each
// time its own reader has room again, and gets one answer: NDJSON of the lines that follow as soon as there are some,
// or one of these words. So nothing of what a slow reader has not read yet lies in the lane.

export const laneWords = {
  /** The next line is in R2: read it there, and ask again. */
  stored: "stored",
  /** The log has ended with that line. */
  ended: "ended",
  /** Nothing of the log is here: it is finished, or deleted. */
  gone: "gone",
} as const;

export type LaneWord = keyof typeof laneWords;

/** Answered by the platform, without waking the lane up. */
export const LANE_PING = "ping";
export const LANE_PONG = "pong";

export const askAfter = (line: number) => `after ${line}`;

/** The line that a follower has read last; null for what is no such message. */
export function parseAsk(message: string): number | null {
  const line = /^after (\d{1,9})$/.exec(message)?.[1];
  return line === undefined ? null : Number(line);
}
