import { setTimeout as pause } from "node:timers/promises";

import { createParser } from "eventsource-parser";

import { LOG_END_EVENT, LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";

/** Somebody who follows a log while it grows, and comes back to where they were whenever the stream is cut. */
export type LogFollower = {
  readonly deploymentId: string;
  /** How many lines have come, and how often the stream was opened. */
  readonly lines: number;
  readonly streams: number;
  readonly isOver: boolean;
  /** What was not as it must be; `null` so far. */
  readonly violation: string | null;
  leave(): Promise<void>;
};

const AGAIN_MS = 200;
/** A stream says something at least every ten seconds. */
const SILENCE_MS = 15_000;

/** @param url of the Worker, or of a proxy before it */
export function followLog(url: string, token: string, deploymentId: string): LogFollower {
  const leaving = new AbortController();
  let lines = 0;
  let streams = 0;
  let isOver = false;
  let violation: string | null = null;

  function take(event: string | undefined, id: string | undefined, data: string): void {
    if (event === LOG_END_EVENT) {
      LogEnd.parse(JSON.parse(data));
      isOver = true;
      return;
    }
    const { line } = LogLine.parse(JSON.parse(data));
    if (id !== String(line)) violation ??= `line ${line} has the id ${id}`;
    if (line !== lines + 1) violation ??= `after line ${lines} comes line ${line}`;
    lines = line;
  }

  async function readOnce(): Promise<void> {
    streams += 1;
    const silent = new AbortController();
    const signal = AbortSignal.any([leaving.signal, silent.signal]);
    let timer = setTimeout(() => silent.abort(), SILENCE_MS);
    try {
      const response = await fetch(`${url}/v1/logs/${deploymentId}`, {
        headers: {
          accept: "text/event-stream",
          authorization: `Bearer ${token}`,
          ...(lines === 0 ? {} : { "last-event-id": `${lines}` }),
        },
        signal,
      });
      // It was deleted.
      if (response.status === 404) isOver = true;
      if (response.status !== 200 || response.body === null) return;
      const parser = createParser({ onEvent: ({ event, id, data }) => take(event, id, data) });
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        clearTimeout(timer);
        timer = setTimeout(() => silent.abort(), SILENCE_MS);
        if (chunk instanceof Uint8Array) parser.feed(decoder.decode(chunk, { stream: true }));
        if (isOver) return;
      }
    } finally {
      clearTimeout(timer);
      silent.abort();
    }
  }

  const following = (async () => {
    while (!isOver && violation === null && !leaving.signal.aborted) {
      // Whatever ends a stream too early, the next one goes on where it was.
      await readOnce().catch(() => undefined);
      if (!isOver) await pause(AGAIN_MS);
    }
  })();

  return {
    deploymentId,
    get lines() {
      return lines;
    },
    get streams() {
      return streams;
    },
    get isOver() {
      return isOver;
    },
    get violation() {
      return violation;
    },
    async leave() {
      leaving.abort();
      await following;
    },
  };
}
