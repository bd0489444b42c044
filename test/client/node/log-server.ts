import { createServer, type ServerResponse } from "node:http";

import { onTestFinished } from "vitest";

import { DeploymentId } from "#contract/ids.ts";
import type { LogLine } from "#contract/endpoints/logs/schemas.ts";

/** What a request for the log is answered with. */
export type Answer = (response: ServerResponse, lastEventId: number) => void;

export type LogServer = {
  readonly baseUrl: string;
  /** The Last-Event-ID of each request. */
  readonly asked: number[];
  /** How many answers are neither finished nor cut. */
  readonly open: () => number;
  readonly close: () => void;
};

/**
 * A control plane with one log, at the far end of a real socket. Each request is answered by the next of the answers,
 * and the last of them answers all that follow. It serves until the end of the test.
 */
export async function serveLog(...answers: Answer[]): Promise<LogServer> {
  const asked: number[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const lastEventId = Number(request.headers["last-event-id"] ?? 0);
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(lastEventId);
    open += 1;
    response.on("close", () => (open -= 1));
    answer?.(response, lastEventId);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { baseUrl: `http://127.0.0.1:${address.port}`, asked, open: () => open, close };
}

export const deploymentId = DeploymentId.parse("dpl_00000000000000000000000000");

export function logLine(line: number, message = `line ${line} → ünïcödé 🚀`): LogLine {
  return { line, time: "2026-01-01T00:00:00.000Z", stream: "stdout", stage: "build", message };
}

/** A line as the stream has it. */
export function eventText(line: LogLine): string {
  return `id: ${line.line}\ndata: ${JSON.stringify(line)}\n\n`;
}

export const endText = `event: end\ndata: ${JSON.stringify({ deployment_id: deploymentId, status: "live", failure: null })}\n\n`;

/** What a log of so many lines sends to a client that has seen some, without its end. */
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

/** Sends the stream, all of it. */
export const whole =
  (lines: number): Answer =>
  (response, lastEventId) => {
    startStream(response);
    response.end(streamText(lines, lastEventId));
  };

/** Sends the lines, and then nothing more. */
export const fallsSilent =
  (lines: number): Answer =>
  (response, lastEventId) => {
    startStream(response);
    response.write(linesText(lines, lastEventId));
  };

/** Sends so many bytes of the stream, and cuts the connection. */
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

/** Takes the request and never answers. */
export const silent: Answer = () => undefined;
