import type { AgentAnswer } from "#contract/agent-answers.ts";
import type { AgentRequest } from "#contract/agent-requests.ts";
import { send } from "#worker/objects/agent-link/link-sockets.ts";

/**
 * The outcome of a request to an agent. `offline`: the agent is not connected. `outdated`: its version does not answer
 * requests of this type. `silent`: no answer came in time. `cut`: the agent disconnected before its answer.
 */
export type RequestOutcome =
  | { readonly kind: "answered"; readonly answer: AgentAnswer }
  | { readonly kind: "offline" | "outdated" | "silent" | "cut" };

/** The requests that wait for an answer of the agent. In memory only, because their callers wait in memory too. */
export class LinkRequests {
  readonly #waiting = new Map<string, (asked: RequestOutcome) => void>();

  /** @param timeoutMs after this the request counts as not answered */
  async send(socket: WebSocket, request: AgentRequest, timeoutMs: number): Promise<RequestOutcome> {
    const id = request.request_id;
    let timer: ReturnType<typeof setTimeout> | null = null;
    try {
      return await new Promise<RequestOutcome>((resolve) => {
        this.#waiting.set(id, resolve);
        timer = setTimeout(() => resolve({ kind: "silent" }), timeoutMs);
        send(socket, request);
      });
    } finally {
      this.#waiting.delete(id);
      // A pending timer would keep the object from hibernating.
      clearTimeout(timer);
    }
  }

  /** Passes an answer to the caller that waits for it. A late or unknown answer is ignored. */
  settle(answer: AgentAnswer): void {
    this.#waiting.get(answer.request_id)?.({ kind: "answered", answer });
  }

  /** The agent has disconnected, so it no longer answers. */
  noteCut(): void {
    for (const resolve of this.#waiting.values()) resolve({ kind: "cut" });
  }
}
