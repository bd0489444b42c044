import { createParser, type EventSourceMessage } from "eventsource-parser";

import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import { LOG_HEARTBEAT_MS } from "#contract/endpoints/logs/schemas.ts";
import {
  AppOutputLine,
  LEFT_OUT_EVENT,
  OutputLeftOut,
  type OutputQuery,
} from "#contract/endpoints/output/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { Problem } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { Connection } from "#client/connection.ts";
import { connectionLost, openEventStream, type StreamRetry } from "#client/event-stream.ts";
import type { Transport } from "#client/request.ts";
import { retryDelayMs } from "#client/retry.ts";

/**
 * `left_out`: that many lines are missing here; null: unknown. `waiting`: the output cannot be read now; the next try is
 * in `ms` milliseconds. `problem`: it cannot be followed; always the last event.
 */
export type FollowedOutput =
  | { readonly type: "line"; readonly line: AppOutputLine }
  | { readonly type: "left_out"; readonly lines: number | null }
  | { readonly type: "waiting"; readonly problem: Problem; readonly ms: number }
  | { readonly type: "problem"; readonly problem: Problem };

export type FollowOutputOptions = {
  readonly query: OutputQuery;
  /** Ends the iteration. */
  readonly signal: AbortSignal;
};

const SILENCE_MS = 3 * LOG_HEARTBEAT_MS;
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** The id of the last event; null before the first. `failures`: since the last data. */
type Progress = { lastId: string | null; failures: number };

/**
 * Follows what the instances of a project print: the last lines, then each line as it is printed. After a lost connection,
 * and while the server is offline after it was online, it connects again and continues after the last line, until
 * `signal` is aborted or the loop is left. It never throws.
 */
export async function* followOutput(
  transport: Transport,
  projectId: ProjectId,
  { query, signal }: FollowOutputOptions,
): AsyncGenerator<FollowedOutput> {
  const progress: Progress = { lastId: null, failures: 0 };
  let wasOpen = false;
  while (!signal.aborted) {
    const connection = new Connection(SILENCE_MS, signal);
    let retry: StreamRetry;
    try {
      const headers = progress.lastId === null ? {} : { "last-event-id": progress.lastId };
      const request = { params: { project_id: projectId }, query, headers };
      const opened = await openEventStream(clientEndpoints.getOutput, request, transport, connection);
      if (opened.kind === "open") {
        wasOpen = true;
        const failure = yield* readEvents(opened.body, progress, connection);
        retry = connectionLost(failure, transport.baseUrl, true);
      } else if (opened.kind === "problem") {
        const isPassing = wasOpen && opened.problem.code === "server_offline";
        if (!isPassing) {
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
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  progress: Progress,
  connection: Connection,
): AsyncGenerator<FollowedOutput, unknown> {
  let events: FollowedOutput[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: (event) => {
      const read = eventOf(event);
      if (read === null) return;
      if (event.id !== undefined) progress.lastId = event.id;
      events.push(read);
    },
  });
  const chunks = body.getReader();
  try {
    for (;;) {
      const chunk = await connection.wait(chunks.read());
      if (!chunk.ok) return chunk.error;
      if (chunk.value.value === undefined) return new Error("the stream ended");
      events = [];
      parser.feed(decoder.decode(chunk.value.value, { stream: true }));
      if (events.length > 0) progress.failures = 0;
      yield* events;
    }
  } finally {
    void chunks.cancel().catch(() => undefined);
  }
}

/** @returns null for an event of a newer control plane */
function eventOf({ event, data }: EventSourceMessage): FollowedOutput | null {
  if (event === LEFT_OUT_EVENT) {
    const leftOut = parseKnown(OutputLeftOut, parseJson(data));
    return leftOut.success ? { type: "left_out", lines: leftOut.data.lines } : null;
  }
  const line = event === undefined || event === "message" ? parseKnown(AppOutputLine, parseJson(data)) : null;
  return line?.success === true ? { type: "line", line: line.data } : null;
}
