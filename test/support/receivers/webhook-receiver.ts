import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

import { fakeService, type Service } from "./services.ts";
import { listenLocally } from "../listen.ts";

/** How a target answers a request. The last of several answers is repeated. */
export type ReceiverAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends this many bytes instead of a body. */
  readonly bytes?: number;
  /** Compresses the body. */
  readonly gzip?: boolean;
  readonly delayMs?: number;
  /** `hang`: no answer. `drip`: a byte every 50 ms, forever. `reset`: closes the connection. */
  readonly instead?: "hang" | "drip" | "reset";
  /** Answers as this service does, which checks the request. */
  readonly service?: Service;
};

/** A request that a target has received. `at`: Unix milliseconds. `underWay`: how many it had to answer then. */
export type ReceivedRequest = {
  readonly at: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly underWay: number;
  /** Below the target's address, with the query. */
  readonly path: string;
};

type Target = {
  answers: readonly ReceiverAnswer[];
  received: ReceivedRequest[];
  underWay: number;
  readonly services: Map<Service, ReturnType<typeof fakeService>>;
};

export type WebhookReceiver = {
  readonly url: string;
  /** Closes every connection, also connections whose answer hangs or drips. */
  cut(): void;
  close(): void;
};

/**
 * Serves targets of webhooks on a real socket: each path `/hook/<name>` is one, with its own answers and its own list of
 * requests. `PUT /control/<name>` sets the answers, `GET /control/<name>` returns the requests.
 */
export async function serveWebhookReceiver(): Promise<WebhookReceiver> {
  const targets = new Map<string, Target>();
  const targetOf = (name: string): Target => {
    const target = targets.get(name) ?? { answers: [{}], received: [], underWay: 0, services: new Map() };
    targets.set(name, target);
    return target;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const [, kind, name = ""] = (request.url ?? "").split(/[/?]/);
    const target = targetOf(name);
    if (kind === "hook") return receiveRequest(target, request, body, response);
    if (request.method === "PUT") target.answers = JSON.parse(body);
    response.end(JSON.stringify(target.received));
  }

  const server = createServer((request, response) => void answer(request, response));
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    cut: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function receiveRequest(
  target: Target,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): void {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([header, value]) => [header, String(value)]),
  );
  target.underWay += 1;
  response.on("close", () => (target.underWay -= 1));
  const { underWay } = target;
  const { method = "", url = "" } = request;
  const path = url.replace(/^\/hook\/[^/?]*/, "");
  target.received.push({ at: Date.now(), method, headers, body, underWay, path });
  const [next = {}, ...later] = target.answers;
  if (later.length > 0) target.answers = later;
  if (next.service === undefined) return void setTimeout(() => respond(response, next), next.delayMs ?? 0);
  const service = target.services.get(next.service) ?? fakeService(next.service);
  target.services.set(next.service, service);
  const parsed: unknown = body === "" ? null : JSON.parse(body);
  respond(response, { ...next, ...service({ method, path, headers, body: parsed }) });
}

function respond(response: ServerResponse, answer: ReceiverAnswer): void {
  const { status = 200, headers = {}, body = "", bytes, gzip = false, instead } = answer;
  if (instead === "hang") return;
  if (instead === "reset") return void response.destroy();
  response.writeHead(status, gzip ? { ...headers, "content-encoding": "gzip" } : headers);
  if (instead === "drip") {
    const drops = setInterval(() => response.write("."), 50);
    response.on("close", () => clearInterval(drops));
    return;
  }
  const content = bytes === undefined ? body : "x".repeat(bytes);
  response.end(gzip ? gzipSync(content) : content);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
  return Buffer.concat(parts).toString();
}
