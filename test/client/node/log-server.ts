import { createServer, type ServerResponse } from "node:http";

import { onTestFinished } from "vitest";

import { DeploymentId } from "#contract/ids.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";

import { listenLocally } from "../../support/listen.ts";

/** Responds to a request for the log. */
export type Answer = (response: ServerResponse, lastEventId: number) => void;

export type LogServer = {
  readonly baseUrl: string;
  /** The Last-Event-ID of each request. */
  readonly requests: number[];
  /** The number of open responses. */
  readonly open: () => number;
  readonly close: () => void;
};

/**
 * Starts an HTTP server with one log, until the end of the test. The n-th request gets the n-th answer, and later ones
 * the last.
 */
export async function serveLog(...answers: Answer[]): Promise<LogServer> {
  const requests: number[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const lastEventId = Number(request.headers["last-event-id"] ?? 0);
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(lastEventId);
    open += 1;
    response.on("close", () => (open -= 1));
    answer?.(response, lastEventId);
  });
  const port = await listenLocally(server);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { baseUrl: `http://127.0.0.1:${port}`, requests, open: () => open, close };
}

export const deploymentId = DeploymentId.parse("dpl_00000000000000000000000000");

export function logLine(line: number, message = `line ${line} → ünïcödé 🚀`): LogLine {
  return { line, time: "2026-01-01T00:00:00.000Z", stream: "stdout", stage: "build", message };
}

/** A line as an event of the stream. */
export function eventText(line: LogLine): string {
  return `id: ${line.line}\ndata: ${JSON.stringify(line)}\n\n`;
}

export const endText = `event: end\ndata: ${JSON.stringify({ deployment_id: deploymentId, status: "live", failure: null })}\n\n`;

/** The stream of a log with `lines` lines after `lastEventId`, without its end. */
export function linesText(lines: number, lastEventId: number): string {
  const events = Array.from({ length: lines }, (_, index) => logLine(index + 1))
    .filter(({ line }) => line > lastEventId)
    .map(eventText);
  return `retry: 1000\n\n: alive\n\n${events.join("")}`;
}

export function streamText(lines: number, lastEventId: number): string {
  return linesText(lines, lastEventId) + endText;
}

export function startStream(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
}

/** Sends the complete stream. */
export const complete =
  (lines: number): Answer =>
  (response, lastEventId) => {
    startStream(response);
    response.end(streamText(lines, lastEventId));
  };

/** Sends the lines and leaves the connection open. */
export const fallsSilent =
  (lines: number): Answer =>
  (response, lastEventId) => {
    startStream(response);
    response.write(linesText(lines, lastEventId));
  };

/** Sends `bytes` bytes of the stream and closes the connection. */
export const cutAt =
  (lines: number, bytes: number): Answer =>
  (response, lastEventId) => {
    startStream(response);
    const text = Buffer.from(streamText(lines, lastEventId)).subarray(0, bytes);
    response.write(text, () => response.socket?.destroy());
  };

export const problem =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/problem+json", ...headers });
    const body = { type: "about:blank", title: code, status, detail: code, code, request_id: "req_1" };
    response.end(JSON.stringify(body));
  };

/** Accepts the request and never responds. */
export const silent: Answer = () => undefined;
