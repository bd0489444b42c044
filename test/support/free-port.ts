import { randomInt } from "node:crypto";
import { createServer, type ListenOptions } from "node:net";

/** Below the ports that the agent gives to apps, and the ports that the kernel chooses. */
const FIRST_PORT = 10_000;
const END_PORT = 20_000;
const BLOCK = 4;

/**
 * A port of this machine that nothing listens on, followed by three more. They stay the caller's until its process ends: no
 * other test gets them, also while nothing listens there, and the kernel gives them to no connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + BLOCK * randomInt((END_PORT - FIRST_PORT) / BLOCK);
    if (!(await claim(port))) continue;
    const block = Array.from({ length: BLOCK }, (_, at) => canListen({ port: port + at }, false));
    if ((await Promise.all(block)).every(Boolean)) return port;
  }
}

/**
 * Linux knows sockets without a file, which are gone with their process: a socket named after a port is the claim of
 * that port.
 */
function claim(port: number): Promise<boolean> {
  if (process.platform !== "linux") return Promise.resolve(true);
  return canListen({ path: `\0gantry-test-port-${port}` }, true);
}

/** @param isKept whether to listen until this process ends */
function canListen(options: ListenOptions, isKept: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(options, () => {
      if (!isKept) return server.close(() => resolve(true));
      server.unref();
      resolve(true);
    });
  });
}
