import { createParser, type EventSourceMessage, type EventSourceParser } from "eventsource-parser";

import { LOG_END_EVENT, LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { Problem } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { unexpected } from "#client/answer.ts";

/**
 * `waiting`: the control plane cannot be reached or cannot answer for now, so the next try is made after `ms`
 * milliseconds. `end`: how the deployment ended; `deleted`: it is not there any more. `problem`: the log cannot be
 * followed, such as where the token does not count (any more), or there is no such deployment. Each of the last two is
 * the last event.
 */
export type FollowedLogEvent =
  | { readonly type: "line"; readonly line: LogLine }
  | { readonly type: "waiting"; readonly problem: Problem; readonly ms: number }
  | ({ readonly type: "end" } & Pick<LogEnd, "status" | "failure">)
  | { readonly type: "problem"; readonly problem: Problem };

/** `gap`: lines are missing before the one that came; `problem` is what it is if they stay away. */
export type ReadLogEvent =
  | Exclude<FollowedLogEvent, { type: "waiting" }>
  | { readonly type: "gap"; readonly problem: Problem };

/** Many times what the longest line takes. A server that is none of ours could send what never ends. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;

/**
 * A browser hands over two megabytes at a time, which take longer than many a frame to be parsed. About a hundred
 * lines are parsed at once, so that whoever takes the events can give the page its turn between them.
 */
const SLICE_BYTES = 16 * 1024;

/** Makes events of the bytes of one connection, wherever they are cut. */
export class LogEventReader {
  readonly #baseUrl: string;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #last: number;
  #events: ReadLogEvent[] = [];

  /** @param afterLine the line that has been read last: it and those before it are passed over */
  constructor(afterLine: number, baseUrl: string) {
    this.#last = afterLine;
    this.#baseUrl = baseUrl;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onEvent: (event) => this.#read(event),
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#fail();
      },
    });
  }

  /** The events that are complete with these bytes. After an `end`, a `problem` or a `gap` it is of no more use. */
  *take(bytes: Uint8Array): Generator<ReadLogEvent> {
    for (let from = 0; from < bytes.byteLength; from += SLICE_BYTES) {
      this.#events = [];
      const slice = bytes.subarray(from, from + SLICE_BYTES);
      this.#parser.feed(this.#decoder.decode(slice, { stream: true }));
      yield* this.#events;
    }
  }

  #read({ event, data }: EventSourceMessage): void {
    if (event === LOG_END_EVENT) {
      const end = parseKnown(LogEnd, parseJson(data));
      if (!end.success) return this.#fail();
      const { status, failure } = end.data;
      this.#events.push({ type: "end", status, failure });
      return;
    }
    // Other kinds of events may come to be, and are nothing to a client that does not know them.
    if (event !== undefined && event !== "message") return;
    const line = parseKnown(LogLine, parseJson(data));
    if (!line.success) return this.#fail();
    const number = line.data.line;
    if (number <= this.#last) return;
    if (number > this.#last + 1) {
      const what = `Line ${this.#last + 1} of the log is missing.`;
      this.#events.push({ type: "gap", problem: unexpected(200, this.#baseUrl, what).problem });
      return;
    }
    this.#last = number;
    this.#events.push({ type: "line", line: line.data });
  }

  #fail(): void {
    this.#events.push({ type: "problem", problem: unexpected(200, this.#baseUrl).problem });
  }
}
