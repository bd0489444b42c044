import * as http from "node:http";
import * as https from "node:https";
import { setTimeout as pause } from "node:timers/promises";

import { WebSocket } from "ws";

/** Where the clients send their requests. `domain` is the Host header, and with `ca` the name to verify. */
export type LoadTarget = {
  readonly port: number;
  readonly domain: string;
  /** The authority's certificate, for TLS. */
  readonly ca?: string;
};

/** `answers`: how many requests each app has answered, by its name. `failures`: how many failed, by the reason. */
export type LoadReport = {
  readonly ok: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly failures: Readonly<Record<string, number>>;
  /** How many WebSockets were closed by the far end without a closing message. */
  readonly cutSockets: number;
};

/** Opens a WebSocket to the app. */
export function openSocket({ port, domain, ca }: LoadTarget): WebSocket {
  const options = { headers: { host: domain }, handshakeTimeout: ANSWER_MS };
  const secure = { ...options, servername: domain, ...(ca === undefined ? {} : { ca }) };
  return ca === undefined
    ? new WebSocket(`ws://127.0.0.1:${port}/socket`, options)
    : new WebSocket(`wss://127.0.0.1:${port}/socket`, secure);
}

export type Load = {
  /** Waits until an app with this name has answered each kind of request sent from now on. */
  answeredBy(name: string): Promise<void>;
  /** Waits until an app with this name has echoed what the WebSocket sent. */
  echoedBy(name: string): Promise<void>;
  /** How many requests have failed so far. */
  failures(): number;
  stop(): Promise<LoadReport>;
};

const CLIENTS = 16;
const ANSWER_MS = 60_000;
const POST_BODY = "x".repeat(2000);
const SLOW_BYTES = 15_000;

/**
 * The load of 16 clients on an app (`app.mjs`), until it is stopped: one with a WebSocket, one with slow downloads, and 14
 * that send a POST for each three GETs, half of them with a new connection for each request. Each expects the right
 * answer.
 * @param betweenMs how long each waits before its next request
 */
export function startLoad(target: LoadTarget, betweenMs = 5): Load {
  const ended = new AbortController();
  const answers = new Map<string, number>();
  const failures = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  let ok = 0;
  let cutSockets = 0;
  const secure = target.ca !== undefined;
  const options = {
    host: "127.0.0.1",
    port: target.port,
    ...(secure ? { servername: target.domain, ca: target.ca } : {}),
  };

  type Request = {
    path: string;
    body: string | null;
    agent: http.Agent | false;
    expected: (text: string) => string | null;
  };

  /** @param expected the app's name in the right answer, or null */
  function send({ path, body, agent, expected }: Request): Promise<void> {
    return new Promise((resolve) => {
      const kind = `${body === null ? "GET" : "POST"} ${path}`;
      const fail = (reason: string): void => {
        count(failures, `${kind}: ${reason}`);
        resolve();
      };
      const outgoing = (secure ? https : http).request({
        ...options,
        agent,
        path,
        method: body === null ? "GET" : "POST",
        headers: { host: target.domain, ...(body === null ? {} : { "content-length": body.length }) },
        timeout: ANSWER_MS,
      });
      outgoing.on("timeout", () => outgoing.destroy(new Error("no answer in time")));
      outgoing.on("error", (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
      outgoing.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("error", (error: NodeJS.ErrnoException) => fail(`cut: ${error.code ?? error.message}`));
        response.on("end", () => {
          const name = response.statusCode === 200 ? expected(text) : null;
          if (name === null) return fail(`status ${response.statusCode}`);
          ok += 1;
          count(answers, name);
          resolve();
        });
      });
      outgoing.end(body ?? undefined);
    });
  }

  async function sendMany(client: number): Promise<void> {
    const isFresh = client % 2 === 0;
    const agent = new (secure ? https : http).Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = client; !ended.signal.aborted; turn += 1) {
      const body = turn % 4 === 0 ? POST_BODY : null;
      const right = new RegExp(`^(\\S+) ${body === null ? "GET 0" : `POST ${POST_BODY.length}`}$`);
      await send({
        path: "/",
        body,
        agent: isFresh ? false : agent,
        expected: (text) => right.exec(text)?.[1] ?? null,
      });
      await pause(betweenMs);
    }
    agent.destroy();
  }

  async function download(): Promise<void> {
    while (!ended.signal.aborted)
      await send({
        path: "/slow",
        body: null,
        agent: false,
        expected: (text) =>
          text.startsWith("x".repeat(SLOW_BYTES)) ? (/END (\S+)$/.exec(text)?.[1] ?? null) : null,
      });
  }

  /** Sends a message and waits for its echo, again and again. An app that ends closes the WebSocket, which is then opened again. */
  async function talk(): Promise<void> {
    while (!ended.signal.aborted) {
      const socket = openSocket(target);
      await new Promise<void>((resolve) => {
        let isOpen = false;
        const stop = (): void => socket.close(1000);
        ended.signal.addEventListener("abort", stop);
        socket.on("open", () => {
          isOpen = true;
          socket.send("hello");
        });
        socket.on("message", (message: Buffer) => {
          ok += 1;
          count(answers, `${message.toString().split(" ")[0]} by WebSocket`);
          setTimeout(() => socket.readyState === WebSocket.OPEN && socket.send("hello"), 50);
        });
        socket.on("error", (error) => {
          if (!isOpen && !ended.signal.aborted) count(failures, `WebSocket: ${error.message}`);
        });
        socket.on("close", (code) => {
          if (isOpen && code === 1006) cutSockets += 1;
          ended.signal.removeEventListener("abort", stop);
          resolve();
        });
      });
    }
  }

  const clients = [
    talk(),
    download(),
    ...Array.from({ length: CLIENTS - 2 }, (_, client) => sendMany(client)),
  ];
  return {
    async answeredBy(name) {
      const before = answers.get(name) ?? 0;
      while ((answers.get(name) ?? 0) < before + 2 * CLIENTS) await pause(10);
    },
    async echoedBy(name) {
      while (!answers.has(`${name} by WebSocket`)) await pause(10);
    },
    failures: () => [...failures.values()].reduce((sum, some) => sum + some, 0),
    async stop() {
      ended.abort();
      await Promise.all(clients);
      return {
        ok,
        answers: Object.fromEntries(answers),
        failures: Object.fromEntries(failures),
        cutSockets,
      };
    },
  };
}
