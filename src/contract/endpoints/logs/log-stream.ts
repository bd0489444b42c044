// Separate from schemas.ts, because the client library has no schemas.

/** How often an event stream sends a comment while there are no lines, in milliseconds. A client detects a lost connection by it. */
export const LOG_HEARTBEAT_MS = 10_000;

/** The name of the last event of a stream, whose data is a LogEnd. All other events have no name, and a LogLine as data. */
export const LOG_END_EVENT = "end";
