import { createServer, request as sendPlain, type IncomingHttpHeaders } from "node:http";
import { request as sendSecure } from "node:https";

import { ids } from "../../agent/support/harness.ts";
import { freePort } from "../../support/free-port.ts";
import type { TestIngress } from "./caddy.ts";

/** Where to send a request. `host`: the address to connect to; omitted: 127.0.0.1. */
export type Way = {
  readonly port: number;
  readonly tls?: { readonly name: string; readonly ca: string };
  readonly host?: string;
};

export function ask(
  { port, tls, host = "127.0.0.1" }: Way,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<{ status: number; body: string; headers: IncomingHttpHeaders }> {
  return new Promise((done, failed) => {
    const options = { host, port, path, method, headers, agent: false };
    const outgoing = tls
      ? sendSecure({ ...options, servername: tls.name, ca: tls.ca, checkServerIdentity: () => undefined })
      : sendPlain(options);
    outgoing.on("error", failed);
    outgoing.on("response", (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (text: string) => (body += text));
      answer.on("end", () => done({ status: answer.statusCode ?? 0, body, headers: answer.headers }));
    });
    outgoing.end();
  });
}

/** The status and the body of an answer, such as `200 ready`. */
export const textOf = async (way: Way, host: string, path: string) => {
  const { status, body } = await ask(way, path, { host });
  return `${status} ${body.trim()}`;
};

/** An app that answers with the request's path and its forwarded headers. */
export type EchoApp = { readonly address: string; readonly close: () => void };

export async function startEchoApp(): Promise<EchoApp> {
  const app = createServer((request, response) => {
    const {
      "x-forwarded-for": address,
      "x-forwarded-proto": proto,
      "x-forwarded-host": host,
    } = request.headers;
    response.end(JSON.stringify({ path: request.url, address, proto, host }));
  });
  const port = await freePort();
  await new Promise<void>((done) => app.listen(port, "127.0.0.1", done));
  const close = () => {
    app.close();
    app.closeAllConnections();
  };
  return { address: `127.0.0.1:${port}`, close };
}

/** Has the ingress serve the app at shop.localhost, with a redirect from www.shop.localhost. */
export const putApp = async (ingress: TestIngress, { address }: EchoApp) =>
  await ingress.put(
    ids.project(),
    {
      domain: "shop.localhost",
      aliases: [{ domain: "www.shop.localhost", redirect: true }],
      content: { kind: "app" },
    },
    [address],
  );
