import { connect, createServer, type Server, type Socket } from "node:net";

import { listenLocally } from "./listen.ts";

/**
 * `open`: forwards everything. `deaf`: existing connections stay open but forward no bytes, not even the end
 * of a connection; new ones work. `silent`: like `deaf`, also for new connections. `slow`: a few bytes at a time.
 */
export type ProxyMode = "open" | "deaf" | "silent" | "slow";

/** A simulated network between a client and a server on this machine, with the faults of a real network. */
export class TcpProxy {
  #mode: ProxyMode = "open";
  #server: Server;
  #sockets = new Set<Socket>();
  #deaf = new WeakSet<Socket>();
  #port = 0;

  constructor(targetPort: number) {
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        if (this.#mode === "silent") this.#deaf.add(socket);
      }
      this.#pass(near, far);
      this.#pass(far, near);
    });
  }

  async listen(): Promise<string> {
    this.#port = await listenLocally(this.#server);
    return `http://127.0.0.1:${this.#port}`;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    if (mode === "deaf" || mode === "silent") for (const socket of this.#sockets) this.#deaf.add(socket);
  }

  /** Ends every connection immediately, like a router that restarts. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pass(from: Socket, to: Socket): void {
    from.on("data", (chunk: Buffer) => {
      if (this.#deaf.has(from)) return;
      if (this.#mode === "slow") this.#dribble(from, to, chunk);
      else to.write(chunk);
    });
    from.on("end", () => {
      if (!this.#deaf.has(from)) to.end();
    });
    from.on("close", () => {
      this.#sockets.delete(from);
      if (!this.#deaf.has(from)) to.destroy();
    });
  }

  #dribble(from: Socket, to: Socket, chunk: Buffer): void {
    from.pause();
    const next = (start: number): void => {
      if (start >= chunk.length || to.destroyed) return void from.resume();
      to.write(chunk.subarray(start, start + 100));
      setTimeout(() => next(start + 100), 2);
    };
    next(0);
  }
}
