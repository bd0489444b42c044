import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";

/**
 * An installation as a server sees it, with downloads that a test can change. It forwards all other requests to a real
 * installation, except WebSockets, so agents enrol with the real address.
 */
export class DownloadSite {
  /** The text to serve as the agent's file, without changing the hash in the installer. */
  damagedAgent: string | null = null;
  readonly #real: string;
  readonly #server: Server;
  #agent: string | null = null;

  private constructor(real: string) {
    this.#real = real;
    this.#server = createServer((request, response) => {
      const answer = async () => {
        const { status, text } = await this.#answer(request.url ?? "/");
        response.writeHead(status);
        response.end(text);
      };
      answer().catch(() => response.destroy());
    });
  }

  static async open(real: string): Promise<DownloadSite> {
    const site = new DownloadSite(real);
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    return site;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Serves another agent from now on, with its hash in the installer; `null`: the real one again. */
  release(agent: string | null): void {
    this.#agent = agent;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(path: string): Promise<{ status: number; text: string }> {
    const answer = await fetch(this.#real + path);
    const text = await answer.text();
    if (path.startsWith("/agent/")) {
      const changed = this.damagedAgent ?? this.#agent ?? text;
      return { status: answer.status, text: changed };
    }
    if (path !== "/install.sh" || this.#agent === null)
      return { status: answer.status, text: this.#here(text) };
    const hash = createHash("sha256").update(this.#agent).digest("hex");
    return { status: 200, text: this.#here(text.replace(/^agent_sha256='.*'$/m, `agent_sha256='${hash}'`)) };
  }

  /** Replaces the URL of the downloads; the agent still enrols with the real address. */
  #here(script: string): string {
    return script
      .replaceAll('"$origin/agent/', `"${this.url}/agent/`)
      .replaceAll('"$origin/install.sh"', `"${this.url}/install.sh"`);
  }
}
