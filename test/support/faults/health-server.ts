import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

import { eventually } from "./eventually.ts";
import { listenLocally } from "../listen.ts";

/** A server that health checks request. It answers 200 unless a test sets other answers. */
export type HealthServer = {
  readonly url: string;
  /** Sets the next answers, after which it answers 200 again; `hang`: it does not answer. */
  next(...answers: readonly (number | "hang")[]): void;
  /** Resolves at the next request. */
  asked(): Promise<void>;
  close(): Promise<void>;
};

export async function createHealthServer(): Promise<HealthServer> {
  let answers: (number | "hang")[] = [];
  let requests = 0;
  const hanging = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    requests += 1;
    const answer = answers.shift() ?? 200;
    if (answer === "hang") return void hanging.add(response);
    response.writeHead(answer).end();
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/health`,
    next(...wanted) {
      for (const response of hanging) response.destroy();
      hanging.clear();
      answers = [...wanted];
    },
    async asked() {
      const before = requests;
      await eventually("the health check is requested", () => requests > before);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
