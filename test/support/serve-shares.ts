import { createServer } from "node:http";

import { listenLocally } from "./listen.ts";

/** Serves the values that the test files of a run share. Test files are separate processes, so they ask over HTTP. */
export type ShareServer = { readonly url: string; readonly close: () => void };

/** @param share the value for a path; called for each request */
export async function serveShares(
  share: (path: string | undefined) => Promise<unknown>,
): Promise<ShareServer> {
  const server = createServer((request, response) => {
    share(request.url).then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const port = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** Requests a shared value. @throws the server's error */
export async function fetchShare(url: string): Promise<unknown> {
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}
