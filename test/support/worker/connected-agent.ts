import { exports } from "cloudflare:workers";
import { expect, vi } from "vitest";

import {
  Enrolled,
  PONG,
  PROTOCOL_VERSION,
  type ProjectReport,
  type RunEvent,
  RunEventsAnswer,
  type RunOrder,
  ToAgent,
} from "#contract/agent-protocol.ts";
import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { call, ORIGIN } from "./call.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";

/** An event before it gets its number. */
export type Unnumbered = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, "seq">
    : never
  : never;

/** A server registered with a token, and a hand-driven agent of it, over the real link and the real endpoints. */
export class ConnectedAgent {
  readonly serverId: string;
  readonly #credential: string;
  readonly heard: ToAgent[] = [];
  pongs = 0;
  closed: { code: number; reason: string } | null = null;
  #socket: WebSocket | null = null;
  readonly #seqs = new Map<string, number>();

  private constructor(serverId: string, credential: string) {
    this.serverId = serverId;
    this.#credential = credential;
  }

  /** Registers a server named `name` and enrols its agent, which is not connected yet. */
  static async enrol(token: string, name = "web-1"): Promise<ConnectedAgent> {
    const created = await post("/v1/servers", token, { name, ip: "192.0.2.10" });
    const { enrollment } = ServerCreated.parse(await created.json());
    const answer = await post("/v1/agent/enroll", null, {
      token: enrollment.token,
      hostname: name,
      agent_version: "0.1.0",
    });
    const { server_id, credential } = Enrolled.parse(await answer.json());
    return new ConnectedAgent(server_id, credential);
  }

  /** Another process with the same credential, or one of the same server that was enrolled anew. */
  sameAgent(credential = this.#credential): ConnectedAgent {
    return new ConnectedAgent(this.serverId, credential);
  }

  /** Opens the link and says hello; what it hears from then on is in `heard`. */
  async connect(
    hello: { projects?: ProjectReport[]; runs?: RunOrder[]; protocol?: number } = {},
  ): Promise<void> {
    const headers = { upgrade: "websocket", authorization: `Bearer ${this.#credential}` };
    const response = await exports.default.fetch(`${ORIGIN}/v1/agent/connect`, { headers });
    const socket = response.webSocket;
    if (socket === null) throw new Error(`no upgrade: ${response.status} ${await response.text()}`);
    socket.accept();
    this.#socket = socket;
    this.closed = null;
    socket.addEventListener("message", ({ data }) => {
      if (data === PONG) this.pongs += 1;
      else if (typeof data === "string") this.heard.push(ToAgent.parse(JSON.parse(data)));
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
    });
    this.#send({
      type: "hello",
      protocol: hello.protocol ?? PROTOCOL_VERSION,
      agent_version: "0.1.0",
      disk: { total_bytes: 100e9, free_bytes: 60e9 },
      projects: hello.projects ?? [],
      runs: (hello.runs ?? []).map(({ project_id, deployment_id, run_id }) => ({
        project_id,
        deployment_id,
        run_id,
      })),
    });
  }

  /** Waits until it is told to let go of a project, and says that it has. */
  async forgets(projectId: string): Promise<{ purge: boolean }> {
    const { project_id, purge } = await this.hears("remove_project");
    expect(project_id).toBe(projectId);
    this.forgot(project_id, purge);
    return { purge };
  }

  serving(project: ProjectReport): void {
    this.#send({ type: "serving", project });
  }

  status(projects: ProjectReport[]): void {
    this.#send({ type: "status", disk: { total_bytes: 100e9, free_bytes: 60e9 }, projects });
  }

  /** Whether it has opened a link that has not ended yet. */
  get isOpen(): boolean {
    return this.#socket !== null && this.closed === null;
  }

  /** Says that it has let go of a project. */
  forgot(projectId: string, purge: boolean): void {
    this.#send({ type: "project_removed", project_id: projectId, purge });
  }

  raw(data: string): void {
    this.#socket?.send(data);
  }

  cut(): void {
    this.#socket?.close(1000, "");
    this.#socket = null;
  }

  /** Waits for the order of a deployment. */
  async orderOf(deploymentId: string): Promise<RunOrder> {
    return await vi.waitFor(() => {
      const order = this.heard
        .flatMap((one) => (one.type === "run" ? [one.order] : []))
        .findLast((one) => one.deployment_id === deploymentId);
      if (order === undefined) throw new Error(`no order for ${deploymentId}`);
      return order;
    });
  }

  /** Waits for a message of a kind. */
  async hears<Type extends ToAgent["type"]>(type: Type): Promise<Extract<ToAgent, { type: Type }>> {
    const isWanted = (message: ToAgent): message is Extract<ToAgent, { type: Type }> => message.type === type;
    return await vi.waitFor(() => {
      const message = this.heard.findLast(isWanted);
      if (message === undefined) throw new Error(`no ${type} message`);
      return message;
    });
  }

  /** Reports events of a run, numbered on from those before. */
  async reports(order: RunOrder, ...events: Unnumbered[]): Promise<RunEventsAnswer> {
    let seq = this.#seqs.get(order.run_id) ?? 0;
    const numbered = events.map((event): RunEvent => ({ ...event, seq: (seq += 1) }));
    this.#seqs.set(order.run_id, seq);
    return await this.postEvents(order, numbered);
  }

  async postEvents(order: RunOrder, events: RunEvent[]): Promise<RunEventsAnswer> {
    const answer = await this.#post(order, events);
    expect(answer.status).toBe(200);
    return RunEventsAnswer.parse(await answer.json());
  }

  /** The same where it may fail: null is an answer after which to send them again. */
  async tryToPost(order: RunOrder, events: RunEvent[]): Promise<RunEventsAnswer | null> {
    const answer = await this.#post(order, events);
    if (answer.status === 503) return null;
    expect(answer.status).toBe(200);
    return RunEventsAnswer.parse(await answer.json());
  }

  async #post({ project_id, run_id, deployment_id }: RunOrder, events: RunEvent[]): Promise<Response> {
    const path = `/v1/agent/deployments/${deployment_id}/events`;
    return await post(path, this.#credential, { project_id, run_id, events });
  }

  /** Carries an order out without a hitch. */
  async carriesOut(order: RunOrder, releases: number[] = []): Promise<void> {
    const release = order.reuse_release ?? order.version;
    if (order.reuse_release === null) {
      await this.reports(order, { type: "stage", stage: "fetch" }, output("Fetched"), {
        type: "resolved",
        commit_sha: SHA,
        commit_message: "Change the title",
      });
    }
    if (!order.preapproved)
      expect(await this.reports(order, { type: "ready" })).toMatchObject({ instruction: "activate" });
    const project: ProjectReport = {
      project_id: order.project_id,
      release,
      releases: [...new Set([...releases, ...order.keep_releases, release])],
      url: "http://127.0.0.1:9000",
    };
    const evidence = { target: `releases/${release}`, commit_sha: SHA, health_check: null };
    await this.reports(order, { type: "result", result: { outcome: "live", release, evidence }, project });
  }

  async stops(order: RunOrder): Promise<void> {
    await this.reports(order, {
      type: "result",
      result: { outcome: "canceled" },
      project: emptyReport(order),
    });
  }

  #send(message: unknown): void {
    this.#socket?.send(JSON.stringify(message));
  }
}

/** Lines of output, as one event. */
export function output(...messages: string[]) {
  const line = { time: new Date().toISOString(), stream: "stdout", stage: "build" } as const;
  return { type: "output" as const, lines: messages.map((message) => ({ ...line, message })) };
}

export function emptyReport(order: RunOrder): ProjectReport {
  return { project_id: order.project_id, release: null, releases: [], url: null };
}

async function post(path: string, token: string | null, body: unknown): Promise<Response> {
  return await call(path, { method: "POST", token, body });
}
