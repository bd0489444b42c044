import { createParser, type EventSourceMessage } from "eventsource-parser";

import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/log-stream.ts";
import type { RequestLine } from "#contract/endpoints/request-lines.ts";
import { pause } from "#contract/lib/pause.ts";
import type { Problem } from "#contract/problems.ts";
import { Connection } from "#client/connection.ts";
import { connectionLost, openEventStream, type StreamRetry } from "#client/event-stream.ts";
import type { AnyRequest, Transport } from "#client/request.ts";
import { retryDelayMs } from "#client/retry.ts";

/**
 * An item or a message from a followed stream, which never ends by itself. `open`: a stream has begun. `waiting`: it
 * cannot be read now; the next try is in `ms` milliseconds. `problem`: it cannot be followed; always the last.
 */
export type Followed<Item> =
  | Item
  | { readonly type: "open" }
  | { readonly type: "waiting"; readonly problem: Problem; readonly ms: number }
  | { readonly type: "problem"; readonly problem: Problem };

export type FollowedStream<Item> = {
  readonly endpoint: RequestLine;
  readonly request: AnyRequest;
  /** The id of the last event that the caller has; null: none. */
  readonly lastId: string | null;
  /** Reads an event of the stream; null: it is of a newer control plane. */
  readonly read: (event: EventSourceMessage) => Item | null;
  /** Whether a problem may pass, if the stream could be read before. */
  readonly mayPass?: (problem: Problem) => boolean;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
};

const SILENCE_MS = 3 * LOG_HEARTBEAT_MS;
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** The id of the last event; null before the first. `failures`: since the last data. */
type Progress = { lastId: string | null; failures: number };

/**
 * Follows a stream of server-sent events. After a lost connection it connects again and continues after the last event,
 * until `signal` is aborted or the loop is left. It never throws.
 */
export async function* followStream<Item>(
  transport: Transport,
  stream: FollowedStream<Item>,
): AsyncGenerator<Followed<Item>> {
  const { endpoint, request, mayPass = () => false, signal } = stream;
  const progress: Progress = { lastId: stream.lastId, failures: 0 };
  let wasOpen = false;
  while (!signal.aborted) {
    const connection = new Connection(SILENCE_MS, signal);
    let retry: StreamRetry;
    try {
      const headers = progress.lastId === null ? {} : { "last-event-id": progress.lastId };
      const opened = await openEventStream(endpoint, { ...request, headers }, transport, connection);
      if (opened.kind === "open") {
        wasOpen = true;
        yield { type: "open" };
        const failure = yield* readEvents(opened.body, stream.read, progress, connection);
        retry = connectionLost(failure, transport.baseUrl, true);
      } else if (opened.kind === "problem") {
        if (!wasOpen || !mayPass(opened.problem)) {
          yield { type: "problem", problem: opened.problem };
          return;
        }
        retry = { problem: opened.problem, afterMs: 0, isCut: false };
      } else retry = opened;
    } finally {
      connection.end();
    }
    if (signal.aborted) return;
    progress.failures += 1;
    const ms = Math.max(retryDelayMs(progress.failures), retry.afterMs);
    // A stream ends every 15 minutes without a reason.
    if (!retry.isCut || progress.failures > 1) yield { type: "waiting", problem: retry.problem, ms };
    await pause(ms, signal);
  }
}

/** Reads the events of one stream. @returns the error that ended it */
async function* readEvents<Item>(
  body: ReadableStream<Uint8Array>,
  read: FollowedStream<Item>["read"],
  progress: Progress,
  connection: Connection,
): AsyncGenerator<Item, unknown> {
  let items: Item[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: (event) => {
      const item = read(event);
      if (item === null) return;
      if (event.id !== undefined) progress.lastId = event.id;
      items.push(item);
    },
  });
  const chunks = body.getReader();
  try {
    for (;;) {
      const chunk = await connection.wait(chunks.read());
      if (!chunk.ok) return chunk.error;
      if (chunk.value.value === undefined) return new Error("the stream ended");
      items = [];
      parser.feed(decoder.decode(chunk.value.value, { stream: true }));
      if (items.length > 0) progress.failures = 0;
      yield* items;
    }
  } finally {
    void chunks.cancel().catch(() => undefined);
  }
}
