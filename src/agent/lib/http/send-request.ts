import * as http from "node:http";
import * as https from "node:https";

import { createTunnelAgent } from "#agent/lib/http/tunnel.ts";

export type HttpRequest = {
  readonly url: URL;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The unix socket to send over. The URL's host is then only a header. */
  readonly socketPath?: string;
  /** The proxy to go through. */
  readonly proxy?: URL | null;
  /** From the start of the request to the end of the answer. */
  readonly timeoutMs: number;
  /** How much of the answer's body is read; the rest is discarded. */
  readonly maxBodyBytes: number;
  readonly signal?: AbortSignal;
  /** Uses a new connection. Health checks need this: a kept connection does not show whether new ones work. */
  readonly fresh?: boolean;
};

/** `hung`: no answer within the timeout, whether connected or not. */
export type HttpAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: http.IncomingHttpHeaders;
      readonly body: string;
    }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "hung" }
  | { readonly kind: "aborted" };

// A run sends many requests to the same control plane, so connections are kept.
const kept = { keepAlive: true, keepAliveMsecs: 15_000, maxFreeSockets: 4 };
const keptHttp = new http.Agent(kept);
/** Created by the first request that needs it, because it loads TLS. */
let keptHttps: https.Agent | null = null;
const keptTunnels = new Map<string, http.Agent>();

/** The connections of a request: kept ones, unless it wants a new one. */
export function agentFor({
  url,
  fresh = false,
  socketPath,
  proxy = null,
  timeoutMs,
}: Pick<HttpRequest, "url" | "fresh" | "socketPath" | "proxy" | "timeoutMs">) {
  if (socketPath !== undefined) return false;
  const isSecure = url.protocol === "https:";
  if (proxy === null && fresh) {
    // When a name has several addresses and one does not answer, there must be time for the next.
    const options = { autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / 4) };
    return isSecure ? new https.Agent(options) : new http.Agent(options);
  }
  if (proxy === null) return isSecure ? (keptHttps ??= new https.Agent(kept)) : keptHttp;
  if (fresh) return createTunnelAgent(proxy, {});
  const known = keptTunnels.get(proxy.href) ?? createTunnelAgent(proxy, kept);
  keptTunnels.set(proxy.href, known);
  return known;
}

/** Sends one request, without following redirects. Never throws. */
export async function sendRequest(request: HttpRequest): Promise<HttpAnswer> {
  const first = await attempt(request);
  // The server closed a kept connection just as the request was sent, so it did not process the request.
  if (first.kind === "stale") {
    const second = await attempt({ ...request, fresh: true });
    return second.kind === "stale" ? { kind: "failed", reason: "connection reset" } : second;
  }
  return first;
}

function attempt(request: HttpRequest): Promise<HttpAnswer | { readonly kind: "stale" }> {
  return new Promise((resolve) => {
    if (request.signal?.aborted === true) return resolve({ kind: "aborted" });
    const isSecure = request.url.protocol === "https:";
    const outgoing = (isSecure ? https : http).request(request.url, {
      method: request.method,
      agent: agentFor(request),
      ...(request.socketPath === undefined ? {} : { socketPath: request.socketPath }),
      headers: {
        ...request.headers,
        ...(request.body === undefined ? {} : { "content-length": String(Buffer.byteLength(request.body)) }),
      },
    });
    const settle = (answer: HttpAnswer | { readonly kind: "stale" }): void => {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", onAbort);
      resolve(answer);
    };
    const timer = setTimeout(() => {
      settle({ kind: "hung" });
      outgoing.destroy();
    }, request.timeoutMs);
    const onAbort = (): void => {
      settle({ kind: "aborted" });
      outgoing.destroy();
    };
    request.signal?.addEventListener("abort", onAbort);

    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && error.code === "ECONNRESET";
      settle(isStale ? { kind: "stale" } : { kind: "failed", reason: describeError(error) });
    });
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const answer = (): void =>
        settle({
          kind: "answered",
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).subarray(0, request.maxBodyBytes).toString("utf8"),
        });
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes < request.maxBodyBytes) return;
        answer();
        outgoing.destroy();
      });
      response.on("end", answer);
      response.on("error", (error) => settle({ kind: "failed", reason: describeError(error) }));
      response.on("close", () =>
        settle({ kind: "failed", reason: "the connection closed during the answer" }),
      );
    });
    outgoing.end(request.body);
  });
}

export function describeError(error: NodeJS.ErrnoException): string {
  // When several addresses fail, Node throws one error without a message of its own.
  if (error instanceof AggregateError && error.message === "")
    return error.errors.map((each) => (each instanceof Error ? each.message : "")).join(", ");
  return error.message === "" ? (error.code ?? error.name) : error.message;
}
