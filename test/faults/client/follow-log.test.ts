import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import { describe, expect, it, vi } from "vitest";

import { followLog } from "#client/follow-log.ts";
import type { FollowLogOptions } from "#client/log-follower.ts";
import type { FollowedLogEvent } from "#client/log-event-reader.ts";
import {
  type Answer,
  cutAt,
  deploymentId,
  endText,
  eventText,
  fallsSilent,
  linesText,
  logLine,
  problem,
  serveLog,
  silent,
  startStream,
  streamText,
  complete,
} from "../../client/node/log-server.ts";

async function follow(baseUrl: string, options: FollowLogOptions = {}): Promise<FollowedLogEvent[]> {
  const events: FollowedLogEvent[] = [];
  const transport = { baseUrl, token: "gantry_any", fetch };
  for await (const event of followLog(transport, deploymentId, options)) events.push(event);
  return events;
}

const numbers = (events: FollowedLogEvent[]) =>
  events.flatMap((event) => (event.type === "line" ? [event.line.line] : []));
const waits = (events: FollowedLogEvent[]) =>
  events.flatMap((event) => (event.type === "waiting" ? [event.problem.code] : []));
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("followLog", () => {
  it("yields each line and the end unchanged", async () => {
    const { baseUrl, requests } = await serveLog(complete(3));
    expect(await follow(baseUrl)).toEqual([
      ...upTo(3).map((line) => ({ type: "line", line: logLine(line) })),
      { type: "end", status: "live", failure: null },
    ]);
    expect(requests).toEqual([0]);
  });

  it("starts after the given line", async () => {
    const { baseUrl, requests } = await serveLog(complete(5));
    expect(numbers(await follow(baseUrl, { afterLine: 3 }))).toEqual([4, 5]);
    expect(requests).toEqual([3]);
  });

  it("sends the given bookmark, and then the bookmarks that it receives", async () => {
    const sent: unknown[] = [];
    const withBookmark =
      (bookmark: string, text: string): Answer =>
      (response) => {
        sent.push(response.req.headers["gantry-bookmark"]);
        startStream(response, { "gantry-bookmark": bookmark });
        response.end(text);
      };
    const { baseUrl } = await serveLog(
      withBookmark("2", linesText(1, 0)),
      withBookmark("3", streamText(1, 1)),
    );
    await follow(baseUrl, { bookmark: "1" });
    expect(sent).toEqual(["1", "2"]);
  });

  it("parses chunks that are split anywhere, even within a character", async () => {
    const inPieces =
      (size: number): Answer =>
      (response, lastEventId) => {
        startStream(response);
        const bytes = Buffer.from(streamText(3, lastEventId));
        void (async () => {
          for (let at = 0; at < bytes.length; at += size) {
            response.write(bytes.subarray(at, at + size));
            await new Promise(setImmediate);
          }
          response.end();
        })();
      };
    for (const size of [1, 7, 64]) {
      const { baseUrl } = await serveLog(inPieces(size));
      const events = await follow(baseUrl);
      expect(events.slice(0, 3)).toEqual(upTo(3).map((line) => ({ type: "line", line: logLine(line) })));
      expect(events).toHaveLength(4);
    }
  });

  it.each(["live", "superseded", "failed", "canceled", "deleted"])(
    "yields the end status %s",
    async (status) => {
      const failure =
        status === "failed" ? { code: "build_failed", message: "exit code 2", stage: "build" } : null;
      const end = { deployment_id: deploymentId, status, failure };
      const { baseUrl } = await serveLog((response) => {
        startStream(response);
        response.end(`event: end\ndata: ${JSON.stringify(end)}\n\n`);
      });
      expect(await follow(baseUrl)).toEqual([{ type: "end", status, failure }]);
    },
  );

  it("ignores fields and events that only a newer control plane has", async () => {
    const newer: Answer = (response) => {
      startStream(response);
      const line = JSON.stringify({ ...logLine(1), region: "eu" });
      response.end(`id: 1\ndata: ${line}\n\nevent: progress\ndata: 50\n\n${endText}`);
    };
    const { baseUrl } = await serveLog(newer);
    expect(await follow(baseUrl)).toMatchObject([{ type: "line", line: logLine(1) }, { type: "end" }]);
  });
});

describe("followLog after a lost connection", () => {
  // Cuts within a character, within a line, and between an ID and its data.
  it("yields each line once, whichever byte of the stream was the last", async () => {
    const size = Buffer.byteLength(streamText(2, 0));
    const checked = upTo(size).map(async (bytes) => {
      const { baseUrl, close } = await serveLog(cutAt(2, bytes - 1), complete(2));
      const events = await follow(baseUrl);
      close();
      expect(events).toEqual([
        { type: "line", line: logLine(1) },
        { type: "line", line: logLine(2) },
        { type: "end", status: "live", failure: null },
      ]);
    });
    await Promise.all(checked);
  });

  it("continues after the last line when the stream closes without an end, as it does after 15 minutes", async () => {
    const closed: Answer = (response, lastEventId) => {
      startStream(response);
      response.end(linesText(2, lastEventId));
    };
    const { baseUrl, requests } = await serveLog(closed, closed, complete(4));
    const events = await follow(baseUrl);
    expect(numbers(events)).toEqual([1, 2, 3, 4]);
    expect(requests).toEqual([0, 2, 2]);
    expect(waits(events)).toEqual([]);
  });

  it("reconnects after a silence, also before the headers", async () => {
    const { baseUrl, requests, open } = await serveLog(silent, fallsSilent(1), complete(2));
    const events = await follow(baseUrl, { silenceMs: 200 });
    expect(numbers(events)).toEqual([1, 2]);
    expect(waits(events)).toEqual(["unreachable"]);
    expect(requests).toEqual([0, 0, 1]);
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("yields a waiting event after repeated streams without data, as behind a buffering proxy", async () => {
    const heartbeatOnly: Answer = (response) => {
      startStream(response);
      response.write(": alive\n\n");
    };
    const closed: Answer = (response) => {
      startStream(response);
      response.end(": alive\n\n");
    };
    for (const answer of [heartbeatOnly, closed]) {
      const { baseUrl } = await serveLog(answer, answer, answer, answer, complete(1));
      const events = await follow(baseUrl, { silenceMs: 200 });
      expect(numbers(events)).toEqual([1]);
      expect(waits(events)).toEqual(["unreachable"]);
    }
  });

  it("reconnects after an incomplete problem response", async () => {
    const half: Answer = (response) => {
      response.writeHead(503, { "content-type": "application/problem+json" });
      response.write('{"type":');
    };
    const { baseUrl, open } = await serveLog(half, complete(1));
    expect(numbers(await follow(baseUrl, { silenceMs: 200 }))).toEqual([1]);
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("stays connected while only comments arrive", async () => {
    const comments: Answer = (response, lastEventId) => {
      startStream(response);
      let sent = 0;
      const timer = setInterval(() => {
        sent += 1;
        if (sent < 10) response.write(": alive\n\n");
        else response.end(streamText(1, lastEventId), () => clearInterval(timer));
      }, 100);
    };
    const { baseUrl, requests } = await serveLog(comments);
    expect(numbers(await follow(baseUrl, { silenceMs: 800 }))).toEqual([1]);
    expect(requests).toEqual([0]);
  });

  const send =
    (...lines: number[]): Answer =>
    (response) => {
      startStream(response);
      response.end(lines.map((line) => eventText(logLine(line))).join(""));
    };

  it("requests missing lines again, and skips duplicates", async () => {
    const { baseUrl, requests } = await serveLog(send(1, 2, 4, 5), send(1, 2, 2, 3), complete(5));
    expect(numbers(await follow(baseUrl))).toEqual([1, 2, 3, 4, 5]);
    expect(requests).toEqual([0, 2, 3]);
  });

  it("ends with a problem when the same lines stay missing", async () => {
    const { baseUrl, requests } = await serveLog(send(1, 2, 4, 5), send(4, 5));
    const events = await follow(baseUrl);
    expect(numbers(events)).toEqual([1, 2]);
    const detail = expect.stringContaining("Line 3 of the log is missing.");
    expect(events.at(-1)).toMatchObject({ type: "problem", problem: { code: "unexpected_answer", detail } });
    expect(requests).toEqual([0, 2, 2, 2, 2]);
  });
});

describe("followLog during a temporary error", () => {
  it("retries and yields why it waits", async () => {
    const { baseUrl, requests } = await serveLog(
      problem(503, "unavailable"),
      problem(429, "rate_limited", { "retry-after": "0" }),
      problem(500, "internal", { "retry-after": "" }),
      complete(1),
    );
    const events = await follow(baseUrl);
    expect(numbers(events)).toEqual([1]);
    expect(waits(events)).toEqual(["unavailable", "rate_limited", "internal"]);
    expect(requests).toHaveLength(4);
  });

  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  it.each([
    ["60", 60_000],
    [inAMinute, 60_000],
    ["99999999999", 3_600_000],
    ["-5", 250],
    ["", 250],
    ["soon", 250],
  ])("waits for the time of Retry-After: %s", async (retryAfter, expectedMs) => {
    const now = new Date(Date.parse(inAMinute) - 60_000).toUTCString();
    const { baseUrl } = await serveLog(problem(503, "unavailable", { "retry-after": retryAfter, date: now }));
    for await (const event of followLog({ baseUrl, token: null, fetch }, deploymentId)) {
      expect(event).toMatchObject({ type: "waiting", problem: { status: 503 } });
      const ms = event.type === "waiting" ? event.ms : 0;
      // Without a valid header, the delay is the first back-off, and half of that is random.
      expect(ms).toBeGreaterThanOrEqual(expectedMs / 2);
      expect(ms).toBeLessThanOrEqual(expectedMs);
      break;
    }
  });

  it("retries when the server is unreachable", async () => {
    const gone = await serveLog(silent);
    gone.close();
    const { baseUrl } = await serveLog(complete(1));
    let tries = 0;
    const transport = {
      baseUrl,
      token: null,
      fetch: (url: string, init: RequestInit) => {
        tries += 1;
        return fetch(tries < 3 ? gone.baseUrl : url, init);
      },
    };
    const events: FollowedLogEvent[] = [];
    for await (const event of followLog(transport, deploymentId)) events.push(event);
    expect(numbers(events)).toEqual([1]);
    expect(waits(events)).toEqual(["unreachable", "unreachable"]);
  });

  it("retries with a growing back-off", async () => {
    const gone = await serveLog(silent);
    gone.close();
    const waited: number[] = [];
    for await (const event of followLog({ baseUrl: gone.baseUrl, token: null, fetch }, deploymentId)) {
      if (event.type === "waiting") waited.push(event.ms);
      if (waited.length === 5) break;
    }
    for (const [index, ms] of waited.entries()) {
      expect(ms).toBeGreaterThanOrEqual(125 * 2 ** index);
      expect(ms).toBeLessThanOrEqual(250 * 2 ** index);
    }
  });
});

describe("followLog with a permanent error", () => {
  it.each([
    [401, "invalid_token"],
    [403, "insufficient_scope"],
    [404, "not_found"],
  ])("ends with the problem of a %i response", async (status, code) => {
    const { baseUrl, requests } = await serveLog(problem(status, code));
    expect(await follow(baseUrl)).toEqual([
      { type: "problem", problem: expect.objectContaining({ status, code }) },
    ]);
    expect(requests).toHaveLength(1);
  });

  it.each([
    [401, "invalid_token"],
    [404, "not_found"],
  ])("ends with the problem of a %i response when it reconnects", async (status, code) => {
    const { baseUrl, requests } = await serveLog(cutAt(2, 150), problem(status, code));
    const events = await follow(baseUrl);
    expect(events.at(-1)).toMatchObject({ type: "problem", problem: { status, code } });
    expect(requests).toHaveLength(2);
  });

  it("ends with a problem when the response is not a log", async () => {
    const page: Answer = (response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html>");
    };
    const nonsense: Answer = (response) => {
      startStream(response);
      response.end("data: nonsense\n\n");
    };
    const endless: Answer = (response) => {
      startStream(response);
      response.write("data: ");
      const more = () => {
        while (response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    };
    for (const answer of [page, nonsense, endless]) {
      const { baseUrl, open } = await serveLog(answer);
      expect(await follow(baseUrl)).toMatchObject([{ problem: { code: "unexpected_answer" } }]);
      await vi.waitFor(() => expect(open()).toBe(0));
    }
  });
});

describe("the consumer of followLog", () => {
  it("is not read ahead of: backpressure reaches the server", async () => {
    const lines = 3000;
    const message = "x".repeat(16 * 1024);
    let sent = 0;
    const asFastAsPossible: Answer = (response) => {
      startStream(response);
      void (async () => {
        for (; sent < lines; sent += 1)
          if (!response.write(eventText(logLine(sent + 1, message)))) await once(response, "drain");
        response.end(endText);
      })();
    };
    const { baseUrl, requests } = await serveLog(asFastAsPossible);
    const seen: number[] = [];
    for await (const event of followLog({ baseUrl, token: null, fetch }, deploymentId, { silenceMs: 2000 })) {
      if (event.type === "line") seen.push(event.line.line);
      if (seen.length !== 1) continue;
      let before = -1;
      while (sent !== before) {
        before = sent;
        await pause(300);
      }
      // Only as much as the socket buffers hold.
      expect(sent).toBeLessThan(lines / 2);
      // A pause of the consumer is not a silence of the connection.
      await pause(2000);
    }
    expect(seen).toEqual(upTo(lines));
    expect(requests).toHaveLength(1);
  });

  it("gets no event after its abort, not even an event that has arrived", async () => {
    const { baseUrl, open } = await serveLog(fallsSilent(5));
    const aborted = new AbortController();
    const seen: number[] = [];
    const transport = { baseUrl, token: null, fetch };
    for await (const event of followLog(transport, deploymentId, { signal: aborted.signal })) {
      if (event.type === "line") seen.push(event.line.line);
      if (seen.length === 2) aborted.abort();
    }
    expect(seen).toEqual([1, 2]);
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("causes no request if it aborts before", async () => {
    const { baseUrl, requests } = await serveLog(complete(1));
    expect(await follow(baseUrl, { signal: AbortSignal.abort() })).toEqual([]);
    expect(requests).toEqual([]);
  });

  it("closes the connection when it leaves the loop", async () => {
    const { baseUrl, open } = await serveLog(fallsSilent(3));
    for await (const event of followLog({ baseUrl, token: null, fetch }, deploymentId)) {
      expect(event).toMatchObject({ type: "line", line: { line: 1 } });
      break;
    }
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("leaves no late response open when the fetch ignores the signal", async () => {
    const { baseUrl, open, requests } = await serveLog((response) => {
      setTimeout(() => startStream(response), 300);
    });
    const withoutSignal = (url: string, { headers = {} }: RequestInit) => fetch(url, { headers });
    const aborted = new AbortController();
    setTimeout(() => aborted.abort(), 100);
    const following = followLog({ baseUrl, token: null, fetch: withoutSignal }, deploymentId, aborted);
    expect(await following.next()).toEqual({ done: true, value: undefined });
    await vi.waitFor(() => expect([requests.length, open()]).toEqual([1, 0]));
  });
});
