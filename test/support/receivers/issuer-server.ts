import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { listenLocally } from "../listen.ts";

/** How an issuer answers the request of a path. */
export type IssuerAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delayMs?: number;
};

/** What an issuer answers, by path below its address, and the paths that it was asked for. */
type IssuerState = { answers: Readonly<Record<string, IssuerAnswer>>; readonly asked: string[] };

/**
 * Serves issuers of identity tokens on a real socket: `/issuer/NAME/…` is one of them. `PUT /control/NAME` sets its answers,
 * `GET /control/NAME` returns the paths that it was asked for. A path without an answer is 404.
 */
export async function serveIssuers(): Promise<{ readonly url: string; close(): void }> {
  const issuers = new Map<string, IssuerState>();
  const stateOf = (name: string): IssuerState => {
    const state = issuers.get(name) ?? { answers: {}, asked: [] };
    issuers.set(name, state);
    return state;
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind, name = "", ...rest] = (request.url ?? "").split("/");
    const state = stateOf(name);
    if (kind === "control") {
      if (request.method === "PUT") state.answers = JSON.parse(await textOf(request));
      return void response.end(JSON.stringify(state.asked));
    }
    const path = `/${rest.join("/")}`;
    state.asked.push(path);
    const {
      status = 200,
      headers = {},
      body,
      delayMs = 0,
    } = state.answers[path] ?? { status: 404, body: "" };
    setTimeout(() => response.writeHead(status, headers).end(body), delayMs);
  }
  const server = createServer((request, response) => void answer(request, response));
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) if (part instanceof Buffer) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
