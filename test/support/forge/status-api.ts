import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { parseJson } from "#contract/parse-json.ts";

import type { FakeForge } from "../receivers/forges.ts";

/** The API of a forge for the repositories on `localhost`. */
export type StatusApi = { readonly url: string; close(): void };

/** Serves a fake forge's API on a real socket. */
export async function serveStatusApi(forge: FakeForge): Promise<StatusApi> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url: path = "" } = request;
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const answer = forge.answer({ method, path, headers, body: parseJson(body) });
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
  });
  // All addresses of `localhost`.
  server.listen(0);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return { url: `http://localhost:${address.port}`, close: () => void server.close() };
}
