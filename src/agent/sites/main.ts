import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";

import { localSlotsFolder } from "#agent/ingress/slots.ts";
import { listenForControl } from "#agent/sites/control-server.ts";
import { createSiteRegistry } from "#agent/sites/site-registry.ts";
import { createSiteStore } from "#agent/sites/site-store.ts";
import { messageOf } from "#contract/lib/message-of.ts";

const USAGE = "usage: node src/agent/sites/main.ts --home DIR --socket PATH --first-port N";

/** The longest path of a unix socket on Linux; macOS allows 104 bytes with the NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

function readOptions(): { home: string; socket: string; firstPort: number } {
  const { values } = parseArgs({
    options: {
      home: { type: "string" },
      socket: { type: "string" },
      "first-port": { type: "string" },
    },
  });
  const { home, socket, "first-port": firstPort } = values;
  if (home === undefined || socket === undefined || firstPort === undefined) throw new Error(USAGE);
  const port = Number(firstPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`--first-port must be a port from 1 to 65535, not ${firstPort}.`);
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES)
    throw new Error(
      `The socket path ${socket} is longer than ${MAX_SOCKET_PATH_BYTES} bytes, the limit for unix sockets. Use a home folder with a shorter path.`,
    );
  return { home: resolve(home), socket: resolve(socket), firstPort: port };
}

/** Serves the sites of this server until it receives a signal, or the process that started it ends. */
async function main(): Promise<void> {
  const options = readOptions();
  await mkdir(options.home, { recursive: true });
  await mkdir(dirname(options.socket), { recursive: true });

  const log = (message: string): void => console.log(message);
  const registry = createSiteRegistry({
    store: createSiteStore(options.home, log),
    slots: localSlotsFolder(options.home),
    firstPort: options.firstPort,
    log,
  });
  // Listens first, because this fails while another site server runs, whose sites and ports must not be changed.
  const control = await listenForControl(options.socket, registry);
  await registry.reopen();

  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    control.close();
    control.closeAllConnections();
    void registry.close().then(() => process.exit(0));
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  process.on("disconnect", end);
  // The parent may have ended before the listener was added.
  if (process.send !== undefined && !process.connected) return end();
  process.send?.({ type: "ready" });
}

try {
  await main();
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
