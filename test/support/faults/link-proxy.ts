import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

import { WebSocketServer } from "ws";

import { freePort } from "../free-port.ts";
import type { Fate, Passage } from "./passages.ts";
import { relaySockets } from "./relay-sockets.ts";
import { parseJson } from "#contract/parse-json.ts";

/** Decides the fate of a passage; `null`: the next rule decides. */
export type Rule = (passage: Passage) => Fate | Promise<Fate> | null;

/**
 * A proxy between two parts, with real sockets on both sides. HTTP requests and WebSocket messages pass through it one by
 * one. It can be cut, silenced and slowed down.
 */
export type LinkProxy = {
  readonly url: string;
  /** Adds a rule before the existing ones. @returns a function that removes it */
  rule(rule: Rule): () => void;
  /** Adds a watcher, which receives every passage before the rules. */
  watch(watcher: (passage: Passage) => void): void;
  /** Closes every open connection. */
  cut(): void;
  /** As `cut`, and refuses new connections until `open`. */
  refuse(): Promise<void>;
  /** Keeps every connection open, and delivers nothing in either direction until `open`. */
  silence(): void;
  /** Ends every fault. `lost`: passages that a silence held back are dropped. */
  open(held?: "arrives" | "lost"): Promise<void>;
  /** Delays each passage. */
  slow(delayMs: number): void;
  close(): Promise<void>;
};

type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
};

const DRIBBLED_PIECES = 12;

/** @param target the server behind it: `http://host:port` */
export async function createLinkProxy(target: string): Promise<LinkProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const sockets = new Set<Duplex>();
  const watchers: ((passage: Passage) => void)[] = [];
  let rules: Rule[] = [];
  let silence: PromiseWithResolvers<Fate> | null = null;
  let delayMs = 0;

  async function decide(passage: Passage): Promise<Fate> {
    for (const watcher of watchers) watcher(passage);
    if (delayMs > 0) await pause(delayMs);
    if (silence !== null && (await silence.promise) === "drop") return "drop";
    for (const rule of rules) {
      const fate = rule(passage);
      if (fate !== null) return fate;
    }
    return "pass";
  }

  function forward(incoming: IncomingMessage, body: Buffer, isDribbled: boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { method, url } = incoming;
      // Rules read the answers, so they must not be compressed.
      const headers = { ...incoming.headers, "accept-encoding": "identity" };
      const request = httpRequest({ host: hostname, port: targetPort, method, path: url, headers, agent });
      request.once("error", reject);
      request.once("response", (response) => {
        readAll(response).then(
          (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer }),
          reject,
        );
      });
      if (isDribbled) dribble(request, body).catch(reject);
      else request.end(body);
    });
  }

  /** Forwards an event stream, which can be cut but not inspected. */
  function stream(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url, headers } = incoming;
    const request = httpRequest({ host: hostname, port: targetPort, method, path: url, headers });
    request.on("error", () => outgoing.destroy());
    outgoing.once("close", () => request.destroy());
    request.once("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.on("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    request.end();
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.headers.accept === "text/event-stream") return stream(incoming, outgoing);
    const { method = "", url: path = "" } = incoming;
    const body = await readAll(incoming);
    const asked = parseJson(body.toString());
    const fate = await decide({ kind: "request", method, path, body: asked });
    if (fate === "drop") return void incoming.socket.destroy();
    let answer = await forward(incoming, body, fate === "dribble");
    if (fate === "twice") answer = await forward(incoming, body, false);
    const { status } = answer;
    const answered = parseJson(answer.body.toString());
    const fateOfAnswer = await decide({ kind: "answer", method, path, status, asked, body: answered });
    if (fateOfAnswer === "drop") return void incoming.socket.destroy();
    outgoing.writeHead(status, answer.headers);
    if (fateOfAnswer === "dribble") await dribble(outgoing, answer.body);
    else outgoing.end(answer.body);
  }

  const server = createServer((incoming, outgoing) => {
    // An unreachable or lost target looks like a broken connection to the client.
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    relaySockets({ target, incoming, socket, head, webSockets, decide });
  });

  const port = await freePort();
  const listen = async (): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen();

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const refuse = async (): Promise<void> => {
    cut();
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    cut();
    await closed;
  };
  const open: LinkProxy["open"] = async (held = "arrives") => {
    delayMs = 0;
    silence?.resolve(held === "arrives" ? "pass" : "drop");
    silence = null;
    if (!server.listening) await listen();
  };

  return {
    url: `http://127.0.0.1:${port}`,
    rule(rule) {
      rules = [rule, ...rules];
      return () => {
        rules = rules.filter((other) => other !== rule);
      };
    },
    watch: (watcher) => void watchers.push(watcher),
    cut,
    refuse,
    silence() {
      silence ??= Promise.withResolvers<Fate>();
    },
    open,
    slow(ms) {
      delayMs = ms;
    },
    async close() {
      await open("lost");
      await refuse();
      agent.destroy();
    },
  };
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    const part: unknown = chunk;
    if (part instanceof Buffer) chunks.push(part);
  }
  return Buffer.concat(chunks);
}

/** Writes a body in small pieces, with pauses between them. */
async function dribble(
  stream: { write(chunk: Buffer): unknown; end(): unknown },
  body: Buffer,
): Promise<void> {
  const size = Math.max(1, Math.ceil(body.length / DRIBBLED_PIECES));
  for (let at = 0; at < body.length; at += size) {
    stream.write(body.subarray(at, at + size));
    await pause(10);
  }
  stream.end();
}
