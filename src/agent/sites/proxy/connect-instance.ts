import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";

import { RETRY_SECONDS } from "#agent/ingress/page.ts";
import { SLOTS } from "#agent/ingress/slots.ts";
import { pause } from "#contract/lib/pause.ts";

const BETWEEN_TRIES_MS = 100;
const CONNECT_MS = 3_000;

let turn = 0;

/**
 * Connects to an instance of an app. A restart of an instance refuses connections for a moment, so it tries the slots in
 * turn for 5 s. Nothing has been sent then, so every request can wait like this.
 * @returns null if no instance accepts the connection. Never throws.
 */
export async function connectInstance(slots: readonly string[], signal: AbortSignal): Promise<Socket | null> {
  const endsAt = performance.now() + RETRY_SECONDS * 1000;
  while (!signal.aborted) {
    turn = (turn + 1) % SLOTS;
    const address = await readFile(slots[turn] ?? "", "utf8").catch(() => "");
    const socket = await connectTo(address);
    if (socket !== null) {
      if (!signal.aborted) return socket;
      socket.destroy();
    }
    if (performance.now() >= endsAt) return null;
    await pause(BETWEEN_TRIES_MS, signal);
  }
  return null;
}

/** @param address such as 127.0.0.1:20113 */
function connectTo(address: string): Promise<Socket | null> {
  const colon = address.lastIndexOf(":");
  const port = Number(address.slice(colon + 1));
  if (colon < 1 || !Number.isInteger(port) || port < 1 || port > 65_535) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect({ host: address.slice(0, colon), port, noDelay: true });
    const fail = (): void => {
      socket.destroy();
      resolve(null);
    };
    socket.setTimeout(CONNECT_MS, fail);
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}
