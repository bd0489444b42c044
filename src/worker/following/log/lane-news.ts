// A lane's answers to the follower of a log: the next lines as NDJSON, as soon as there are some, or one of these words.

export const laneWords = {
  /** The next line is in R2: read it there, then send the next request. */
  stored: "stored",
  /** The log ended with this line. */
  ended: "ended",
  /** The lane has nothing of the log: it is complete in R2, or deleted. */
  gone: "gone",
} as const;

export type LaneWord = keyof typeof laneWords;
