import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import {
  type Answer,
  cutAt,
  deploymentId,
  fallsSilent,
  linesText,
  logLine,
  problem,
  serveLog,
  silent,
  startStream,
} from "../../client/node/log-server.ts";

const program = fileURLToPath(new URL("abort-following.ts", import.meta.url));

/** Follows in a separate process, once per delay, and aborts after the delay. Without delays, SIGUSR2 aborts it. */
function follow(baseUrl: string, ...delaysMs: number[]): ChildProcess {
  const args = [program, baseUrl, deploymentId, ...delaysMs.map(String)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const halfAnswer =
  (text: string): Answer =>
  (response) =>
    void response.socket?.write(text);

const withinALine: Answer = (response) => {
  startStream(response);
  response.write(linesText(1, 0) + `id: 2\ndata: ${JSON.stringify(logLine(2)).slice(0, 60)}`);
};

const moments: [string, Answer][] = [
  ["before a response", silent],
  ["within the headers", halfAnswer("HTTP/1.1 200 OK\r\ncontent-type: text/ev")],
  ["before the first line", (response) => startStream(response)],
  ["within a line", withinALine],
  ["between two lines", fallsSilent(2)],
  ["within a problem", halfAnswer('HTTP/1.1 401 No\r\ncontent-length: 99\r\n\r\n{"type":')],
  ["while it waits for Retry-After", problem(503, "unavailable", { "retry-after": "600" })],
  ["while it waits after a cut", cutAt(2, 0)],
];

describe("an aborted followLog", () => {
  it.each(moments)("leaves no timer and no socket open: %s", async (_moment, answer) => {
    const { baseUrl, requests, open } = await serveLog(answer);
    const following = follow(baseUrl);
    await vi.waitFor(() => expect(requests.length).toBeGreaterThan(0));
    await pause(100);
    following.kill("SIGUSR2");
    expect(await once(following, "exit")).toEqual([0, null]);
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("leaves none open at any moment of a slow stream with repeated cuts", async () => {
    const slowly: Answer = (response, lastEventId) => {
      startStream(response);
      void (async () => {
        for (const piece of linesText(lastEventId + 3, lastEventId).match(/.{1,40}/gs) ?? []) {
          response.write(piece);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        response.socket?.destroy();
      })();
    };
    const { baseUrl, open } = await serveLog(slowly);
    const delaysMs = Array.from({ length: 40 }, (_, index) => index * 4);
    expect(await once(follow(baseUrl, ...delaysMs), "exit")).toEqual([0, null]);
    await vi.waitFor(() => expect(open()).toBe(0));
  });
});
