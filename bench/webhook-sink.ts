import { once } from "node:events";
import { createServer } from "node:http";

/** When each event arrived first at a target, in Unix milliseconds, by the event's id. */
export type Arrivals = ReadonlyMap<string, number>;

export type WebhookSink = {
  /** The URL of a target. A target whose name begins with `hang` never answers. */
  url(name: string): string;
  arrivalsAt(name: string): Arrivals;
  close(): void;
};

/** Targets of webhooks that cost as little as possible, because they share the machine with the measured processes. */
export async function serveWebhookSink(): Promise<WebhookSink> {
  const targets = new Map<string, Map<string, number>>();
  const arrivalsAt = (name: string): Map<string, number> => {
    const arrivals = targets.get(name) ?? new Map<string, number>();
    targets.set(name, arrivals);
    return arrivals;
  };
  const server = createServer((request, response) => {
    const at = Date.now();
    const name = (request.url ?? "").slice(1);
    const id = String(request.headers["webhook-id"]);
    const arrivals = arrivalsAt(name);
    if (!arrivals.has(id)) arrivals.set(id, at);
    request.resume();
    if (!name.startsWith("hang")) response.writeHead(200, { "content-length": 0 }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    url: (name) => `http://127.0.0.1:${address.port}/${name}`,
    arrivalsAt,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
