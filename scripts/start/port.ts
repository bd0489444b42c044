import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";

import { hasSocket, socketsListeningOn } from "#node/tcp-sockets.ts";

/** Whether a server can listen on this port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/**
 * Names the process that listens on a port.
 * @returns for example `node (process 4711)`; null if this user may not see it.
 */
export async function holderOfPort(port: number): Promise<string | null> {
  const sockets = socketsListeningOn(port);
  if (sockets.size === 0) return null;
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const pid = pids.find((each) => hasSocket(Number(each), sockets));
  if (pid === undefined) return null;
  const name = (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
  return `${name === "" ? "a program" : name} (process ${pid})`;
}
