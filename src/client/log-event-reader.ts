import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";

import { LOG_END_EVENT } from "#contract/endpoints/logs/log-stream.ts";
import type { LogEnd, LogLine, LogPage } from "#contract/endpoints/logs/schemas.ts";
import type { RequestLine } from "#contract/endpoints/request-lines.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { Problem } from "#contract/problems.ts";
import { unexpected } from "#client/answer.ts";
import type { ClientResult } from "#client/exchange.ts";

/**
 * `waiting`: the control plane is unreachable or temporarily unavailable; the next try is in `ms` milliseconds. `end`:
 * the deployment ended with `status`, or was `deleted`. `problem`: the log cannot be followed, such as with an invalid
 * token or an unknown deployment. `end` and `problem` are always the last event.
 */
export type FollowedLogEvent =
  | { readonly type: "line"; readonly line: LogLine }
  | { readonly type: "waiting"; readonly problem: Problem; readonly ms: number }
  | ({ readonly type: "end" } & Pick<LogEnd, "status" | "failure">)
  | { readonly type: "problem"; readonly problem: Problem };

/** How to read what an installation sends of a log. The readers return null for anything else. */
export type LogReading = {
  readonly endpoint: RequestLine;
  readonly line: (value: unknown) => LogLine | null;
  readonly end: (value: unknown) => Pick<LogEnd, "status" | "failure"> | null;
  /** Reads a page of the lines so far. */
  readonly page: (query: {
    readonly cursor?: string;
  }) => Promise<ClientResult<Pick<LogPage, "lines" | "next_cursor">>>;
};

/** `gap`: lines are missing before the received one. `problem` is reported if they stay missing. */
export type ReadLogEvent =
  | Exclude<FollowedLogEvent, { type: "waiting" }>
  | { readonly type: "gap"; readonly problem: Problem };

/** Many times the longest line. Limits the memory that a server that is not Gantry can fill with an endless event. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/**
 * A browser delivers chunks of up to two megabytes, which take several frames to parse. Parsing about a hundred lines
 * at a time lets the consumer yield to the page after each part.
 */
const SLICE_BYTES = 16 * 1024;

/** Parses the bytes of one connection into events. The bytes can be split anywhere. */
export class LogEventReader {
  readonly #baseUrl: string;
  readonly #reading: Pick<LogReading, "line" | "end">;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #last: number;
  #events: ReadLogEvent[] = [];

  /** @param afterLine the last line that was read: up to it, lines are skipped */
  constructor(afterLine: number, baseUrl: string, reading: Pick<LogReading, "line" | "end">) {
    this.#last = afterLine;
    this.#reading = reading;
    this.#baseUrl = baseUrl;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onEvent: (event) => this.#read(event),
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#fail();
      },
    });
  }

  /** The events that these bytes complete. After an `end`, a `problem` or a `gap` the reader must not be used again. */
  *parse(bytes: Uint8Array): Generator<ReadLogEvent> {
    for (let from = 0; from < bytes.byteLength; from += SLICE_BYTES) {
      this.#events = [];
      const slice = bytes.subarray(from, from + SLICE_BYTES);
      this.#parser.feed(this.#decoder.decode(slice, { stream: true }));
      yield* this.#events;
    }
  }

  #read({ event, data }: EventSourceMessage): void {
    if (event === LOG_END_EVENT) {
      const end = this.#reading.end(parseJson(data));
      if (end === null) return this.#fail();
      const { status, failure } = end;
      this.#events.push({ type: "end", status, failure });
      return;
    }
    // A newer control plane may send other events, which are ignored.
    if (event !== undefined && event !== "message") return;
    const line = this.#reading.line(parseJson(data));
    if (line === null) return this.#fail();
    const number = line.line;
    if (number <= this.#last) return;
    if (number > this.#last + 1) {
      const reason = `Line ${this.#last + 1} of the log is missing.`;
      this.#events.push({ type: "gap", problem: unexpected(200, this.#baseUrl, reason).problem });
      return;
    }
    this.#last = number;
    this.#events.push({ type: "line", line });
  }

  #fail(): void {
    this.#events.push({ type: "problem", problem: unexpected(200, this.#baseUrl).problem });
  }
}
