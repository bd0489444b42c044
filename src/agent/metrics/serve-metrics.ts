import { createServer, type ServerResponse } from "node:http";

import { EXPOSITION_TYPE, expositionOf, type Metric } from "#agent/metrics/exposition.ts";
import type { ListenAddress } from "#agent/metrics/listen-address.ts";
import { messageOf } from "#contract/lib/message-of.ts";

/** An idle connection of a scraper is closed after this time. */
const IDLE_MS = 60_000;
const MAX_CONNECTIONS = 100;

/**
 * Answers `GET /metrics` until the signal is aborted. Requests at the same time share one reading, so that they cost no
 * more than one. Never throws: the agent's work does not depend on its metrics.
 */
export function serveMetrics(
  { host, port }: ListenAddress,
  read: () => Promise<readonly Metric[]>,
  log: (message: string) => void,
  signal: AbortSignal,
): void {
  let reading: Promise<string> | null = null;
  const text = () => {
    reading ??= read()
      .then(expositionOf)
      .finally(() => (reading = null));
    return reading;
  };
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (request, response) => {
    // Not by new URL, which throws for "//".
    const [path] = (request.url ?? "/").split("?");
    if (path !== "/metrics") return answer(response, 404, "The metrics are at /metrics.\n");
    if (request.method !== "GET" && request.method !== "HEAD")
      return answer(response, 405, "Use GET.\n", { Allow: "GET, HEAD" });
    text().then(
      (body) => answer(response, 200, body, { "Content-Type": EXPOSITION_TYPE }),
      (error: unknown) => answer(response, 500, `${messageOf(error)}\n`),
    );
  });
  // Every project on this machine can connect, and must not use up the files that the agent can open.
  server.maxConnections = MAX_CONNECTIONS;
  const place = `http://${host.includes(":") ? `[${host}]` : host}:${port}/metrics`;
  // Not only once: a server without a file for a new connection emits it too.
  server.on("error", (error) => log(`${place} cannot be served: ${messageOf(error)}`));
  server.listen(port, host, () => log(`serving metrics at ${place}`));
  signal.addEventListener(
    "abort",
    () => {
      server.close();
      server.closeAllConnections();
    },
    { once: true },
  );
}

function answer(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", ...headers });
  response.end(body);
}
