import { once } from "node:events";
import type { Server } from "node:net";

/** Starts a server on 127.0.0.1. @param port 0: any free one @returns its port */
export async function listenLocally(server: Server, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}
