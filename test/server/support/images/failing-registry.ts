import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as send,
  type Server,
  type ServerResponse,
} from "node:http";

/**
 * What a registry does instead of answering as it should. `limits`: it answers 429. `silent`: it never answers. `stalls`: it sends
 * half of a layer and then nothing. `breaks`: it closes the connection there.
 */
export type RegistryFault = "limits" | "silent" | "stalls" | "breaks";

/** What a layer begins with. */
const GZIP = Buffer.from([0x1f, 0x8b]);

/** A registry in front of another one on this machine, which fails when it is told to. */
export class FailingRegistry {
  readonly #server: Server;
  readonly #port: number;
  readonly #layers = new Set<string>();
  fault: RegistryFault | null = null;
  /** Called when the other registry has answered what a tag names, before the answer is passed on. */
  tagRead: (() => Promise<unknown>) | null = null;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.#port = port;
  }

  /** @param host of the other registry, with its port */
  static async start(host: string): Promise<FailingRegistry> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the registry has no port");
    const registry = new FailingRegistry(server, address.port);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      registry.#answer(host, request, response).catch(() => response.destroy());
    });
    return registry;
  }

  /** Host and port, as the address of an image begins. */
  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async #answer(host: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    if (this.fault === "silent") return;
    if (this.fault === "limits" && path.includes("/manifests/")) {
      response.writeHead(429, { "retry-after": "0" });
      response.end();
      return;
    }
    const { status, headers, body } = await this.#ask(host, request);
    if (/\/manifests\/[\w.-]+$/.test(path)) await this.tagRead?.();
    response.writeHead(status, headers);
    if (GZIP.equals(body.subarray(0, 2))) this.#layers.add(path);
    const cut = this.#layers.has(path) ? this.fault : null;
    if (cut === null) response.end(body);
    else response.write(body.subarray(0, body.length / 2), () => cut === "breaks" && response.destroy());
  }

  async #ask(host: string, { url, method, headers }: IncomingMessage) {
    const [hostname, port] = host.split(":");
    const asked = send({ hostname, port, path: url, method, headers: { ...headers, host } });
    asked.end();
    const [answer]: IncomingMessage[] = await once(asked, "response");
    if (answer === undefined) throw new Error("the registry did not answer");
    const body = Buffer.concat(await answer.toArray());
    return { status: answer.statusCode ?? 502, headers: answer.headers, body };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
