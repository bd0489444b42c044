import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/log-stream.ts";
import { Connection } from "#client/connection.ts";
import { connectionLost, openEventStream, type StreamRetry } from "#client/event-stream.ts";
import { type FollowedLogEvent, LogEventReader, type LogReading } from "#client/log-event-reader.ts";
import type { Transport } from "#client/request.ts";
import { retryDelayMs } from "#client/retry.ts";
import { pause } from "#contract/lib/pause.ts";

export type FollowLogOptions = {
  /** The number of the last line that was read; 0 for none. */
  readonly afterLine?: number;
  /** The `Gantry-Bookmark` of the response with the deployment: a replica of the database may not have it yet. */
  readonly bookmark?: string | null;
  /** Ends the iteration at any moment, without another event. Leaving the loop ends it between two events. */
  readonly signal?: AbortSignal;
  /** A connection without data for this many milliseconds counts as lost. */
  readonly silenceMs?: number;
};

/** After this many reads with the same lines missing, they count as lost. */
const MAX_GAPS = 5;

/** A single stream can end without a line. After more than this many in a row, a `waiting` event reports it. */
const MAX_CUTS = 3;

type Progress = {
  last: number;
  bookmark: string | null;
  /** The cursor after the pages that were read instead of a stream; null: none was. */
  cursor: string | null;
  /** Consecutive connections that delivered neither events nor heartbeats. */
  failures: number;
  gaps: number;
  /** Milliseconds between the first and the last data of the current connection, heartbeats included. */
  receivingMs: number;
};

type Followed = {
  readonly transport: Transport;
  readonly deploymentId: string;
  readonly reading: LogReading;
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
};

/**
 * Follows a deployment's log to its end: the existing lines, then new lines, each once and in order. After a lost or
 * silent connection, or a temporary error of the control plane, it reconnects with a growing back-off and continues
 * after the last line, until `signal` is aborted or the loop is left. It never throws, and reads no further than the
 * consumer asks for.
 */
export async function* followLogWith(
  reading: LogReading,
  transport: Transport,
  deploymentId: string,
  { afterLine = 0, bookmark = null, signal, silenceMs = 3 * LOG_HEARTBEAT_MS }: FollowLogOptions = {},
): AsyncGenerator<FollowedLogEvent> {
  const progress: Progress = {
    last: afterLine,
    bookmark,
    cursor: null,
    failures: 0,
    gaps: 0,
    receivingMs: 0,
  };
  for await (const event of connections({ transport, deploymentId, reading, silenceMs, signal }, progress)) {
    if (signal?.aborted === true) return;
    yield event;
  }
}

async function* connections(followed: Followed, progress: Progress): AsyncGenerator<FollowedLogEvent> {
  while (followed.signal?.aborted !== true) {
    progress.receivingMs = 0;
    const retry = yield* connect(followed, progress);
    if (retry === null) return;
    // Heartbeats show that the connection works, except for the heartbeat at the start of every stream.
    if (progress.receivingMs > followed.silenceMs / 4) progress.failures = 0;
    progress.failures += 1;
    const ms = Math.max(retryDelayMs(progress.failures), retry.afterMs);
    const isReported = !retry.isCut || progress.failures > MAX_CUTS;
    if (isReported) yield { type: "waiting", problem: retry.problem, ms };
    await pause(ms, followed.signal);
  }
}

/** Null: do not connect again. */
type Retry = StreamRetry | null;

const incomplete = new Error("the log stream ended early");

async function* connect(followed: Followed, progress: Progress): AsyncGenerator<FollowedLogEvent, Retry> {
  const connection = new Connection(followed.silenceMs, followed.signal);
  try {
    return yield* requestLog(followed, progress, connection);
  } finally {
    connection.end();
  }
}

async function* requestLog(
  { transport, deploymentId, reading }: Followed,
  progress: Progress,
  connection: Connection,
): AsyncGenerator<FollowedLogEvent, Retry> {
  const { baseUrl } = transport;
  const request = {
    params: { deployment_id: deploymentId },
    headers: {
      "last-event-id": String(progress.last),
      ...(progress.bookmark === null ? {} : { "gantry-bookmark": progress.bookmark }),
    },
  };
  const opened = await openEventStream(reading.endpoint, request, transport, connection);
  if (opened.kind === "retry") {
    if (opened.problem.code === "too_many_followers") yield* readPages(reading, progress);
    return opened;
  }
  if (opened.kind === "problem") {
    yield { type: "problem", problem: opened.problem };
    return null;
  }
  const { headers, body } = opened;
  progress.bookmark = headers.get("gantry-bookmark") ?? progress.bookmark;
  const reader = new LogEventReader(progress.last, baseUrl, reading);
  const failure = yield* readEvents(body, reader, progress, connection);
  return failure === null ? null : connectionLost(failure, baseUrl, true);
}

/** Reads the lines that exist so far, for a log that has too many followers. */
async function* readPages(reading: LogReading, progress: Progress): AsyncGenerator<FollowedLogEvent> {
  for (;;) {
    const page = await reading.page(progress.cursor === null ? {} : { cursor: progress.cursor });
    // The next try opens a stream again, and reports the problem.
    if (!page.ok) return;
    const { lines, next_cursor } = page.value;
    for (const line of lines) {
      if (line.line <= progress.last) continue;
      progress.last = line.line;
      yield { type: "line", line };
    }
    progress.cursor = next_cursor ?? progress.cursor;
    if (next_cursor === null || lines.length === 0) return;
  }
}

/** Reads the events of one stream. @returns the error that ended it early, or null at the end of the log */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  reader: LogEventReader,
  progress: Progress,
  connection: Connection,
): AsyncGenerator<FollowedLogEvent, unknown> {
  const chunks = body.getReader();
  let firstDataAt: number | null = null;
  try {
    for (;;) {
      const chunk = await connection.wait(chunks.read());
      if (!chunk.ok) return chunk.error;
      if (chunk.value.value === undefined) return incomplete;
      firstDataAt ??= performance.now();
      progress.receivingMs = performance.now() - firstDataAt;
      for (const event of reader.parse(chunk.value.value)) {
        if (event.type === "gap") {
          progress.gaps += 1;
          // The rest of this stream is dropped. The next request starts at the missing line.
          if (progress.gaps < MAX_GAPS) return incomplete;
          yield { type: "problem", problem: event.problem };
          return null;
        }
        if (event.type === "line") progress.last = event.line.line;
        progress.failures = 0;
        progress.gaps = 0;
        yield event;
        if (event.type !== "line") return null;
      }
    }
  } finally {
    void chunks.cancel().catch(() => undefined);
  }
}
