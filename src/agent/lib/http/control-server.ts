import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";

import { messageOf } from "#contract/lib/message-of.ts";

/** The answer to a request, before it is serialized. */
export type ControlAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

export const controlFailure = (status: number, message: string): ControlAnswer => ({
  status,
  body: { error: message },
});

/**
 * Listens on a unix socket that only this user may open, and answers requests with JSON.
 * @param name what listens, for the error
 * @throws when another process listens on the socket
 */
export async function serveControl(
  socketPath: string,
  name: string,
  decide: (request: IncomingMessage) => Promise<ControlAnswer>,
): Promise<Server> {
  if (await isAnswering(socketPath)) throw new Error(`Another ${name} listens on ${socketPath} already.`);
  // A stale socket file would make `listen` fail.
  await rm(socketPath, { force: true });
  const server = createServer((request, response) => {
    void decide(request)
      .catch((error: unknown) => controlFailure(500, messageOf(error)))
      .then((answer) => write(response, answer));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath, resolve);
  });
  await chmod(socketPath, 0o600);
  return server;
}

function write(response: ServerResponse, { status, body }: ControlAnswer): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
}

function isAnswering(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
