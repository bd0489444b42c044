import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";

import { pause } from "#contract/lib/pause.ts";

/** Longer than Node 20 and 24 wait for an address by default before they give it up for the next (250 ms). */
const FAR_MS = 450;
const PATIENCE_MS = 20_000;

/** To be loaded before a program that is to reach the far server by its name. */
export const twoAddresses = resolve(import.meta.dirname, "two-addresses.mjs");

/** A server on this machine that answers a connection as late as one on the other side of the world. */
export type FarServer = {
  /** Its name has two addresses, so that a program has to decide how long to wait for the first. */
  readonly url: string;
  /** Resolves when somebody has waited for a connection for longer than `FAR_MS`, and lets it come about. */
  answer(): Promise<void>;
  /** How often somebody gave the first address up and tried the second one. */
  readonly secondTries: number;
  close(): void;
};

/** @param folder for a file @param targetPort where connections are passed on to */
export async function startFarServer(folder: string, targetPort: number): Promise<FarServer> {
  const file = join(folder, "far-server-answers");
  const child = fork(resolve(import.meta.dirname, "far-listener.mjs"), [String(targetPort), file]);
  const port = await new Promise<number>((done) => child.once("message", (message) => done(Number(message))));
  let secondTries = 0;
  const second = createServer((socket) => {
    secondTries += 1;
    socket.destroy();
  }).listen(port, "127.0.0.2");
  const fillers: Socket[] = [];
  const fill = async (): Promise<boolean> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    const isIn = await Promise.race([
      new Promise<true>((done) => socket.once("connect", () => done(true))),
      pause(150).then(() => false),
    ]);
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
        if (performance.now() > deadline) throw new Error("nobody has connected to the far server");
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

/** Whether somebody's connection to the port has been asked for and not answered. Source: proc_net_tcp, state SYN_SENT. */
function isWaitedFor(port: number): boolean {
  const place = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8").includes(` ${place} 02 `);
}
