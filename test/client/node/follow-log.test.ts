import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import { describe, expect, it, vi } from "vitest";

import { followLog, type FollowLogOptions } from "#client/follow-log.ts";
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
  whole,
} from "./log-server.ts";

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

describe("following a log", () => {
  it("gives each line and the end, as they are", async () => {
    const { baseUrl, asked } = await serveLog(whole(3));
    expect(await follow(baseUrl)).toEqual([
      ...upTo(3).map((line) => ({ type: "line", line: logLine(line) })),
      { type: "end", status: "live", failure: null },
    ]);
    expect(asked).toEqual([0]);
  });

  it("begins after the line that is given", async () => {
    const { baseUrl, asked } = await serveLog(whole(5));
    expect(numbers(await follow(baseUrl, { afterLine: 3 }))).toEqual([4, 5]);
    expect(asked).toEqual([3]);
  });

  it("brings the bookmark that it is given, and then those that it gets", async () => {
    const brought: unknown[] = [];
    const withBookmark =
      (bookmark: string, text: string): Answer =>
      (response) => {
        brought.push(response.req.headers["gantry-bookmark"]);
        startStream(response, { "gantry-bookmark": bookmark });
        response.end(text);
      };
    const { baseUrl } = await serveLog(
      withBookmark("2", linesText(1, 0)),
      withBookmark("3", streamText(1, 1)),
    );
    await follow(baseUrl, { bookmark: "1" });
    expect(brought).toEqual(["1", "2"]);
  });

  it("is right wherever the bytes are cut into pieces on the way, within a character too", async () => {
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
    "says that it ended as %s",
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

  it("leaves out what a newer control plane has added", async () => {
    const newer: Answer = (response) => {
      startStream(response);
      const line = JSON.stringify({ ...logLine(1), region: "eu" });
      response.end(`id: 1\ndata: ${line}\n\nevent: progress\ndata: 50\n\n${endText}`);
    };
    const { baseUrl } = await serveLog(newer);
    expect(await follow(baseUrl)).toMatchObject([{ type: "line", line: logLine(1) }, { type: "end" }]);
  });
});

describe("a log that is followed through a cut", () => {
  // Each byte is in the middle of something: of a character, of a line, or between an id and its data.
  it("loses and doubles nothing, whichever byte of the stream was the last", async () => {
    const size = Buffer.byteLength(streamText(2, 0));
    const checked = upTo(size).map(async (bytes) => {
      const { baseUrl, close } = await serveLog(cutAt(2, bytes - 1), whole(2));
      const events = await follow(baseUrl);
      close();
      expect(events).toEqual([
        { type: "line", line: logLine(1) },
        { type: "line", line: logLine(2) },
        { type: "end", status: "live", failure: null },
      ]);
    });
    await Promise.all(checked);
  }, 60_000);

  it("goes on after the last line where the stream is closed without an end, as after its 15 minutes", async () => {
    const closed: Answer = (response, lastEventId) => {
      startStream(response);
      response.end(linesText(2, lastEventId));
    };
    const { baseUrl, asked } = await serveLog(closed, closed, whole(4));
    const events = await follow(baseUrl);
    expect(numbers(events)).toEqual([1, 2, 3, 4]);
    expect(asked).toEqual([0, 2, 2]);
    expect(waits(events)).toEqual([]);
  });

  it("connects again where nothing is heard any more, also before the headers", async () => {
    const { baseUrl, asked, open } = await serveLog(silent, fallsSilent(1), whole(2));
    const events = await follow(baseUrl, { silenceMs: 200 });
    expect(numbers(events)).toEqual([1, 2]);
    expect(waits(events)).toEqual(["unreachable"]);
    expect(asked).toEqual([0, 0, 1]);
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("is told of once nothing comes again and again, as behind a proxy that holds streams back", async () => {
    const begun: Answer = (response) => {
      startStream(response);
      response.write(": alive\n\n");
    };
    const closed: Answer = (response) => {
      startStream(response);
      response.end(": alive\n\n");
    };
    for (const answer of [begun, closed]) {
      const { baseUrl } = await serveLog(answer, answer, answer, answer, whole(1));
      const events = await follow(baseUrl, { silenceMs: 200 });
      expect(numbers(events)).toEqual([1]);
      expect(waits(events)).toEqual(["unreachable"]);
    }
  });

  it("connects again where only a part of a problem comes", async () => {
    const half: Answer = (response) => {
      response.writeHead(503, { "content-type": "application/problem+json" });
      response.write('{"type":');
    };
    const { baseUrl, open } = await serveLog(half, whole(1));
    expect(numbers(await follow(baseUrl, { silenceMs: 200 }))).toEqual([1]);
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("stays where only comments come", async () => {
    const comments: Answer = (response, lastEventId) => {
      startStream(response);
      let sent = 0;
      const timer = setInterval(() => {
        sent += 1;
        if (sent < 10) response.write(": alive\n\n");
        else response.end(streamText(1, lastEventId), () => clearInterval(timer));
      }, 100);
    };
    const { baseUrl, asked } = await serveLog(comments);
    expect(numbers(await follow(baseUrl, { silenceMs: 800 }))).toEqual([1]);
    expect(asked).toEqual([0]);
  });

  const send =
    (...lines: number[]): Answer =>
    (response) => {
      startStream(response);
      response.end(lines.map((line) => eventText(logLine(line))).join(""));
    };

  it("asks again for lines that are missing, and passes over those that come twice", async () => {
    const { baseUrl, asked } = await serveLog(send(1, 2, 4, 5), send(1, 2, 2, 3), whole(5));
    expect(numbers(await follow(baseUrl))).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([0, 2, 3]);
  });

  it("ends with a problem where the same lines are missing again and again", async () => {
    const { baseUrl, asked } = await serveLog(send(1, 2, 4, 5), send(4, 5));
    const events = await follow(baseUrl);
    expect(numbers(events)).toEqual([1, 2]);
    const detail = expect.stringContaining("Line 3 of the log is missing.");
    expect(events.at(-1)).toMatchObject({ type: "problem", problem: { code: "unexpected_answer", detail } });
    expect(asked).toEqual([0, 2, 2, 2, 2]);
  });
});

describe("a log that cannot be followed for now", () => {
  it("is asked for again, and whoever follows is told why it waits", async () => {
    const { baseUrl, asked } = await serveLog(
      problem(503, "unavailable"),
      problem(429, "rate_limited", { "retry-after": "0" }),
      problem(500, "internal", { "retry-after": "" }),
      whole(1),
    );
    const events = await follow(baseUrl);
    expect(numbers(events)).toEqual([1]);
    expect(waits(events)).toEqual(["unavailable", "rate_limited", "internal"]);
    expect(asked).toHaveLength(4);
  });

  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  it.each([
    ["60", 60_000],
    [inAMinute, 60_000],
    ["99999999999", 3_600_000],
    ["-5", 250],
    ["", 250],
    ["soon", 250],
  ])("waits as long as Retry-After: %s says", async (retryAfter, expectedMs) => {
    const now = new Date(Date.parse(inAMinute) - 60_000).toUTCString();
    const { baseUrl } = await serveLog(problem(503, "unavailable", { "retry-after": retryAfter, date: now }));
    for await (const event of followLog({ baseUrl, token: null, fetch }, deploymentId)) {
      expect(event).toMatchObject({ type: "waiting", problem: { status: 503 } });
      const ms = event.type === "waiting" ? event.ms : 0;
      // Without a word it is the first back-off, half of which is chance.
      expect(ms).toBeGreaterThanOrEqual(expectedMs / 2);
      expect(ms).toBeLessThanOrEqual(expectedMs);
      break;
    }
  });

  it("is asked for again where nobody answers", async () => {
    const gone = await serveLog(silent);
    gone.close();
    const { baseUrl } = await serveLog(whole(1));
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

  it("is asked for ever more seldom", async () => {
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

describe("a log that cannot be followed", () => {
  it.each([
    [401, "invalid_token"],
    [403, "insufficient_scope"],
    [404, "not_found"],
  ])("ends with the problem of a %i", async (status, code) => {
    const { baseUrl, asked } = await serveLog(problem(status, code));
    expect(await follow(baseUrl)).toEqual([
      { type: "problem", problem: expect.objectContaining({ status, code }) },
    ]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    [401, "invalid_token"],
    [404, "not_found"],
  ])("ends with the problem of a %i in the middle of it", async (status, code) => {
    const { baseUrl, asked } = await serveLog(cutAt(2, 150), problem(status, code));
    const events = await follow(baseUrl);
    expect(events.at(-1)).toMatchObject({ type: "problem", problem: { status, code } });
    expect(asked).toHaveLength(2);
  });

  it("ends with a problem where something else than a log is answered", async () => {
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

describe("whoever follows a log", () => {
  it("is not read ahead of: a slow one has the server wait", async () => {
    const lines = 3000;
    const message = "x".repeat(16 * 1024);
    let sent = 0;
    const asFastAsItCan: Answer = (response) => {
      startStream(response);
      void (async () => {
        for (; sent < lines; sent += 1)
          if (!response.write(eventText(logLine(sent + 1, message)))) await once(response, "drain");
        response.end(endText);
      })();
    };
    const { baseUrl, asked } = await serveLog(asFastAsItCan);
    const seen: number[] = [];
    for await (const event of followLog({ baseUrl, token: null, fetch }, deploymentId, { silenceMs: 2000 })) {
      if (event.type === "line") seen.push(event.line.line);
      if (seen.length !== 1) continue;
      let before = -1;
      while (sent !== before) {
        before = sent;
        await pause(300);
      }
      // What the sockets hold, and no more.
      expect(sent).toBeLessThan(lines / 2);
      // A silence of its own is not one of the connection.
      await pause(2000);
    }
    expect(seen).toEqual(upTo(lines));
    expect(asked).toHaveLength(1);
  });

  it("gets nothing more once it has said that it is enough, not even what has come", async () => {
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

  it("asks for nothing where it has said so before", async () => {
    const { baseUrl, asked } = await serveLog(whole(1));
    expect(await follow(baseUrl, { signal: AbortSignal.abort() })).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("closes the connection when it leaves", async () => {
    const { baseUrl, open } = await serveLog(fallsSilent(3));
    for await (const event of followLog({ baseUrl, token: null, fetch }, deploymentId)) {
      expect(event).toMatchObject({ type: "line", line: { line: 1 } });
      break;
    }
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("leaves no answer open that comes after it has left, from a fetch that knows no signal", async () => {
    const { baseUrl, open, asked } = await serveLog((response) => {
      setTimeout(() => startStream(response), 300);
    });
    const deaf = (url: string, { headers = {} }: RequestInit) => fetch(url, { headers });
    const aborted = new AbortController();
    setTimeout(() => aborted.abort(), 100);
    const following = followLog({ baseUrl, token: null, fetch: deaf }, deploymentId, aborted);
    expect(await following.next()).toEqual({ done: true, value: undefined });
    await vi.waitFor(() => expect([asked.length, open()]).toEqual([1, 0]), { timeout: 5000 });
  });
});
