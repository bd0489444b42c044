import type { IncomingMessage } from "node:http";

import { HEALTH_CHECK_AGENT } from "#agent/lib/http/health-check-agent.ts";

/** Headers about one connection, which are not passed on. */
const CONNECTION_HEADERS = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
]);

/** Apps trust these headers, so values that visitors send are replaced. */
const FORWARDED = new Set([
  ...["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port"],
  ...["x-real-ip", "expect"],
]);

/** These say where a request leads and its body ends, so a visitor cannot have them removed by naming them. */
const ABOUT_REQUEST = new Set(["host", "content-length"]);

/** Pairs of names and values as they were sent, without those about the connection. */
export function endToEnd({ rawHeaders, headers }: IncomingMessage): [string, string][] {
  const names = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const named = new Set(names.filter((name) => !ABOUT_REQUEST.has(name)));
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (!CONNECTION_HEADERS.has(lower) && !named.has(lower)) pairs.push([name, value]);
  }
  return pairs;
}

/** The headers for the app: the visitor's headers, the visitor's address, and a connection for this request alone. */
export function headersForApp(request: IncomingMessage): string[] {
  const pairs = endToEnd(request).filter(([name]) => !FORWARDED.has(name.toLowerCase()));
  const address = request.socket.remoteAddress;
  if (address !== undefined) pairs.push(["X-Forwarded-For", address]);
  if (request.headers.host !== undefined) pairs.push(["X-Forwarded-Host", request.headers.host]);
  // The agent's check asks as the ingress of a server does, which has TLS.
  const isCheck = request.headers["user-agent"] === HEALTH_CHECK_AGENT;
  pairs.push(["X-Forwarded-Proto", isCheck ? "https" : "http"]);
  const { upgrade } = request.headers;
  if (upgrade === undefined) pairs.push(["Connection", "close"]);
  else pairs.push(["Connection", "Upgrade"], ["Upgrade", upgrade]);
  // Otherwise the length of the body would be unknown to the app.
  if (request.headers["transfer-encoding"] !== undefined) pairs.push(["Transfer-Encoding", "chunked"]);
  return pairs.flat();
}
