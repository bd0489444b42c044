import { createServer, type Server } from "node:http";

import { eventually } from "../../support/faults/eventually.ts";
import { freePort } from "../../support/free-port.ts";

/** Gates that commands and health checks wait at, by asking this server for their names. */
export class StepGates {
  readonly #server: Server;
  readonly #port: number;
  readonly #waiting = new Set<string>();
  #isOpen = true;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer(({ url = "/" }, response) => {
      if (!this.#isOpen) this.#waiting.add(url.slice(1));
      response.writeHead(this.#isOpen ? 200 : 503).end();
    });
  }

  static async create(): Promise<StepGates> {
    const gates = new StepGates(await freePort());
    await new Promise<void>((resolve) => gates.#server.listen(gates.#port, "127.0.0.1", resolve));
    return gates;
  }

  urlOf(name: string): string {
    return `http://127.0.0.1:${this.#port}/${name}`;
  }

  /** A shell line that waits until the gates are open. */
  waitAt(name: string): string {
    return `until curl -sf -m 5 -o /dev/null ${this.urlOf(name)}; do sleep 0.2; done`;
  }

  shut(): void {
    this.#waiting.clear();
    this.#isOpen = false;
  }

  /** Waits until somebody waits at each of these gates. */
  async reached(names: readonly string[]): Promise<void> {
    const missing = () => names.filter((name) => !this.#waiting.has(name));
    await eventually(
      () => `${missing().join(", ")} is reached`,
      () => missing().length === 0,
    );
  }

  open(): void {
    this.#isOpen = true;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
