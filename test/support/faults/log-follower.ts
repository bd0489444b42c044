import { setTimeout as pause } from "node:timers/promises";

import { createParser } from "eventsource-parser";

import { LOG_END_EVENT } from "#contract/endpoints/logs/log-stream.ts";
import { LogEnd, LogLine } from "#contract/endpoints/logs/schemas.ts";

/** A client that follows a growing log, and reconnects after its last line when the stream is cut. */
export type LogFollower = {
  readonly deploymentId: string;
  /** The number of received lines, and how often the stream was opened. */
  readonly lines: number;
  readonly streams: number;
  readonly hasEnded: boolean;
  /** The first broken guarantee; `null` if there is none. */
  readonly violation: string | null;
  leave(): Promise<void>;
};

const AGAIN_MS = 200;
/** A stream sends at least a heartbeat every ten seconds. */
const SILENCE_MS = 15_000;

/** @param url of the Worker, or of a proxy in front of it */
export function followLog(url: string, token: string, deploymentId: string): LogFollower {
  const leaving = new AbortController();
  let lines = 0;
  let streams = 0;
  let hasEnded = false;
  let violation: string | null = null;

  function receive(event: string | undefined, id: string | undefined, data: string): void {
    if (event === LOG_END_EVENT) {
      LogEnd.parse(JSON.parse(data));
      hasEnded = true;
      return;
    }
    const { line } = LogLine.parse(JSON.parse(data));
    if (id !== String(line)) violation ??= `line ${line} has the id ${id}`;
    if (line !== lines + 1) violation ??= `line ${line} follows line ${lines}`;
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
      // The deployment was deleted.
      if (response.status === 404) hasEnded = true;
      if (response.status !== 200 || response.body === null) return;
      const parser = createParser({ onEvent: ({ event, id, data }) => receive(event, id, data) });
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        clearTimeout(timer);
        timer = setTimeout(() => silent.abort(), SILENCE_MS);
        if (chunk instanceof Uint8Array) parser.feed(decoder.decode(chunk, { stream: true }));
        if (hasEnded) return;
      }
    } finally {
      clearTimeout(timer);
      silent.abort();
    }
  }

  const following = (async () => {
    while (!hasEnded && violation === null && !leaving.signal.aborted) {
      // After any error the next stream continues from the last line.
      await readOnce().catch(() => undefined);
      if (!hasEnded) await pause(AGAIN_MS);
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
    get hasEnded() {
      return hasEnded;
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
