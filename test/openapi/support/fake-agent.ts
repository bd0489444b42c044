import { Enrolled, RunEventsAnswer } from "#contract/agent-protocol.ts";
import { PROTOCOL_VERSION, type RunEvent, type RunOrder, ToAgent } from "#contract/agent-protocol.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";
const DISK = { total_bytes: 100e9, free_bytes: 60e9 };

type Unnumbered = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, "seq">
    : never
  : never;

/** An agent without files: it is connected, and every third order that it gets fails. */
export class FakeAgent {
  readonly credential: string;
  readonly #url: string;
  readonly #socket: WebSocket;
  #orders = 0;

  private constructor(url: string, credential: string) {
    this.credential = credential;
    this.#url = url;
    const address = `${url.replace(/^http/, "ws")}/v1/agent/connect`;
    this.#socket = new WebSocket(address, { headers: { authorization: `Bearer ${credential}` } });
    this.#socket.addEventListener("message", ({ data }) => {
      const message = ToAgent.safeParse(JSON.parse(String(data)));
      if (message.data?.type === "run") void this.#carryOut(message.data.order);
    });
  }

  /** Enrols with the token of a server, and connects. */
  static async connect(url: string, token: string): Promise<FakeAgent> {
    const answer = await fetch(`${url}/v1/agent/enroll`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, hostname: "web-1", agent_version: "0.1.0" }),
    });
    const { credential } = Enrolled.parse(await answer.json());
    const agent = new FakeAgent(url, credential);
    await agent.#hello();
    return agent;
  }

  close(): void {
    this.#socket.close();
  }

  async #hello(): Promise<void> {
    await new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", resolve);
      this.#socket.addEventListener("error", () => reject(new Error("the agent cannot connect")));
    });
    const hello = { type: "hello", protocol: PROTOCOL_VERSION, agent_version: "0.1.0", disk: DISK };
    this.#socket.send(JSON.stringify({ ...hello, projects: [], runs: [] }));
  }

  async #carryOut(order: RunOrder): Promise<void> {
    this.#orders += 1;
    const release = order.reuse_release ?? order.version;
    const events: Unnumbered[] = [
      { type: "stage", stage: "fetch" },
      {
        type: "output",
        lines: [{ time: new Date().toISOString(), stream: "stdout", stage: "fetch", message: "…" }],
      },
      { type: "resolved", commit_sha: SHA, commit_message: "Change the title" },
      ...(order.preapproved ? [] : [{ type: "ready" } as const]),
    ];
    const instruction = await this.#report(order, events, 0);
    if (instruction !== "activate" && !order.preapproved) return;
    const project = { project_id: order.project_id, release, releases: [release], url: null };
    const failure = { code: "health_check_failed", message: "answered 500", stage: "verify" } as const;
    const evidence = { target: `releases/${release}`, commit_sha: SHA, health_check: null };
    await this.#report(
      order,
      this.#orders % 3 === 0
        ? [{ type: "result", result: { outcome: "failed", failure }, project }]
        : [{ type: "result", result: { outcome: "live", release, evidence }, project }],
      events.length,
    );
  }

  async #report(order: RunOrder, events: readonly Unnumbered[], before: number): Promise<string | null> {
    const { project_id, run_id, deployment_id } = order;
    const numbered = events.map((event, at) => ({ ...event, seq: before + at + 1 }));
    const answer = await fetch(`${this.#url}/v1/agent/deployments/${deployment_id}/events`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.credential}` },
      body: JSON.stringify({ project_id, run_id, events: numbered }),
    }).catch(() => null);
    const read = RunEventsAnswer.safeParse(await answer?.json().catch(() => null));
    return read.data?.instruction ?? null;
  }
}
