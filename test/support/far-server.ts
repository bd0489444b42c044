import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";

import { pause } from "#contract/lib/pause.ts";

import { freePort } from "./free-port.ts";

/** Longer than the time after which Node 20 and 24 try the next address by default (250 ms). */
const FAR_MS = 450;
const PATIENCE_MS = 60_000;
const STEADY_POLLS = 20;

/** A module to load before a program that connects to the far server by name. */
export const twoAddresses = resolve(import.meta.dirname, "two-addresses.mjs");

/** A server on this machine that accepts connections as late as a server on another continent. */
export type FarServer = {
  /** Its host name has two addresses, so that a client must decide how long to wait for the first. */
  readonly url: string;
  /** Waits until a client has waited for its connection for at least `FAR_MS`, and lets the listener accept it. */
  answer(): Promise<void>;
  /** How often a client gave up the first address and tried the second. */
  readonly secondTries: number;
  close(): void;
};

/** @param folder for a file @param targetPort receives the forwarded connections */
export async function startFarServer(folder: string, targetPort: number): Promise<FarServer> {
  const file = join(folder, "far-server-answers");
  const port = await freePort();
  const child = fork(resolve(import.meta.dirname, "far-listener.mjs"), [`${port}`, `${targetPort}`, file]);
  await new Promise((done) => child.once("message", done));
  let secondTries = 0;
  const second = createServer((socket) => {
    secondTries += 1;
    socket.destroy();
  }).listen(port, "127.0.0.2");
  const fillers: Socket[] = [];
  const fill = async (): Promise<boolean> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    let isIn = false;
    socket.once("connect", () => (isIn = true));
    // A moment passes before a connection is known to be in, so its state must hold.
    for (let polls = 0; !isIn && polls < STEADY_POLLS; polls = isWaitedFor(port) ? polls + 1 : 0)
      await pause(5);
    if (isIn) fillers.push(socket);
    else socket.destroy();
    return isIn;
  };
  while (await fill());
  return {
    url: `http://far.localhost:${port}`,
    async answer() {
      const deadline = performance.now() + PATIENCE_MS;
      while (!isWaitedFor(port)) {
        if (performance.now() > deadline) throw new Error("no client has connected to the far server");
        await pause(5);
      }
      await pause(FAR_MS);
      writeFileSync(file, "");
    },
    get secondTries() {
      return secondTries;
    },
    close() {
      second.close();
      for (const socket of fillers) socket.destroy();
      child.kill("SIGKILL");
    },
  };
}

/** Whether a connection to the port is requested and not accepted. Source: proc_net_tcp, state SYN_SENT. */
function isWaitedFor(port: number): boolean {
  const place = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8").includes(` ${place} 02 `);
}
