import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";

import { type WebSocket, WebSocketServer } from "ws";

import { type Instruction, type RunEvent, RunEvents, type RunResult } from "#contract/agent-events.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import {
  closeCodes,
  EnrollInput,
  FromAgent,
  MAX_LINK_MESSAGE,
  PING,
  PONG,
  PROTOCOL_VERSION,
  type ToAgent,
} from "#contract/agent-protocol.ts";
import type { RunId, ServerId } from "#contract/ids.ts";
import { runStages } from "#contract/stages.ts";
import type { Problem } from "#contract/problems.ts";
import { notWellFormed } from "#contract/well-formed.ts";

import { FakeArtifacts } from "./fake-artifacts.ts";
import { listenLocally } from "./listen.ts";

/**
 * A fault of a request: the request is lost, its answer is lost, its events are ignored as already known (as if other
 * events had taken their numbers), or it is refused with a status.
 */
export type AnswerFault = "lost" | "answer_lost" | "known" | 404 | 410 | 429 | 503;

export type FakeRun = {
  readonly order: RunOrder;
  readonly events: RunEvent[];
  /** The instruction of every answer from now on. After `ready`, a permitted run gets `activate` by itself. */
  instruction: Instruction;
  grantsPermit: boolean;
  posts: number;
};

/**
 * A control plane for a real agent, over real sockets. It checks the agent against the protocol and collects every
 * violation in `breaches`, which tests expect to be empty.
 */
export class FakeControlPlane {
  readonly breaches: string[] = [];
  readonly messages: FromAgent[] = [];
  readonly runs = new Map<RunId, FakeRun>();
  readonly credential = "agent-credential";
  enrolmentToken = "enrolment-token";
  /** The answer to an enrolment is lost on its way. */
  losesEnrolment = false;
  #attempt: string | null = null;
  /** Chooses a fault for each post of events, or null for none. `count`: the number of posts so far. */
  faultOf: (post: { readonly count: number; readonly events: readonly RunEvent[] }) => AnswerFault | null =
    () => null;
  /** Called when a run's answer has been sent. */
  afterAnswer: (answer: { readonly instruction: Instruction }) => void = () => undefined;
  answersPings = true;
  welcomes = true;
  acceptsCredential = true;
  /** The status with which a proxy in front answers every request; `null`: there is no proxy. */
  proxyStatus: number | null = null;
  /** The seconds of the Retry-After header in refusals; null: no header. */
  retryAfter: number | null = null;
  /** Refuses the link with 429. */
  limitsLink = false;
  /** The time of each attempt to open a link, by the monotonic clock, in milliseconds. */
  readonly linkTries: number[] = [];
  /** The protocol version that it reports. */
  protocol = PROTOCOL_VERSION;
  /** Additional fields of its answers, as a newer control plane of the same protocol sends. */
  additions: Record<string, unknown> = {};
  posts = 0;
  /** Builds that servers give each other. */
  artifacts = new FakeArtifacts();
  #server: Server;
  #sockets = new WebSocketServer({ noServer: true });
  #link: WebSocket | null = null;
  #watchers = new Set<() => void>();
  #inFlight = new Map<string, number>();
  #port = 0;
  readonly serverId: ServerId;

  constructor(serverId: ServerId) {
    this.serverId = serverId;
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch((error: unknown) => {
        this.#breach(`the fake failed: ${String(error)}`);
        response.destroy();
      });
    });
    this.#server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => undefined);
      if (request.url !== "/v1/agent/connect") return socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
      if (this.proxyStatus !== null) return socket.end(refusalText(this.proxyStatus, FOREIGN_PAGE));
      if (!this.#isAuthorized(request)) return socket.end(refusalText(401, JSON.stringify(problemOf(401))));
      this.linkTries.push(performance.now());
      if (this.limitsLink)
        return socket.end(refusalText(429, JSON.stringify(problemOf(429)), this.retryAfter));
      this.#sockets.handleUpgrade(request, socket, head, (link) => this.#accept(link));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** How many `hello` messages the agent has sent. */
  get hellos(): number {
    return this.messages.filter(({ type }) => type === "hello").length;
  }

  get isConnected(): boolean {
    return this.#link !== null;
  }

  async listen(port = 0): Promise<void> {
    this.#port = await listenLocally(this.#server, port);
  }

  async close(): Promise<void> {
    this.#link?.terminate();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** Waits until `check`, which runs after each request and message, returns something, and resolves with it. */
  waitFor<Value>(what: string, check: () => Value | null | undefined | false, ms = 60_000): Promise<Value> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const value = check();
        if (value === null || value === undefined || value === false) return;
        clearTimeout(timer);
        clearInterval(poll);
        this.#watchers.delete(look);
        resolve(value);
      };
      const poll = setInterval(look, 20);
      const timer = setTimeout(() => {
        clearInterval(poll);
        this.#watchers.delete(look);
        reject(new Error(`timed out waiting for ${what}; breaches: ${this.breaches.join("; ")}`));
      }, ms);
      this.#watchers.add(look);
      look();
    });
  }

  /** The agent's latest `hello`. */
  get lastHello() {
    return this.messages.findLast((message) => message.type === "hello");
  }

  /** Waits until the agent is connected and has sent more than `count` hellos. */
  async waitForHello(count: number): Promise<void> {
    await this.waitFor("a hello", () => this.isConnected && this.hellos > count);
  }

  send(message: ToAgent): void {
    if (this.#link === null) throw new Error("no agent is connected");
    this.#link.send(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#link?.send(text);
  }

  /** Sends a run order, and accepts the run's events from then on. */
  dispatch(order: RunOrder, { grantsPermit = true }: { grantsPermit?: boolean } = {}): FakeRun {
    const run = this.expect(order, grantsPermit);
    this.send({ type: "run", order });
    return run;
  }

  /** Accepts the events of a run whose order is sent in another way. */
  expect(order: RunOrder, grantsPermit = true): FakeRun {
    const run: FakeRun = { order, events: [], instruction: "continue", grantsPermit, posts: 0 };
    this.runs.set(order.run_id, run);
    return run;
  }

  async result(run: FakeRun, ms?: number): Promise<RunResult> {
    return this.waitFor(`the result of ${run.order.run_id}`, () => resultOf(run), ms);
  }

  stop(order: RunOrder): void {
    const { project_id, deployment_id, run_id } = order;
    this.send({ type: "stop", project_id, deployment_id, run_id });
  }

  cutLink(): void {
    this.#link?.terminate();
  }

  closeLink(code: number): void {
    this.#link?.close(code);
  }

  #accept(link: WebSocket): void {
    this.#link?.close(4001);
    this.#link = link;
    let hasHello = false;
    link.on("message", (data) => {
      const text = Buffer.isBuffer(data) ? data.toString() : "";
      if (text === PING) {
        if (this.answersPings) link.send(PONG);
        return;
      }
      if (text.length > MAX_LINK_MESSAGE) {
        link.close(closeCodes.malformedMessage);
        return this.#breach(`a message of ${text.length} characters`);
      }
      const json: unknown = JSON.parse(text);
      const message = FromAgent.safeParse(json);
      if (!message.success || notWellFormed(json, 1).length > 0)
        return this.#breach(`malformed message ${text}`);
      if (message.data.type === "hello" && hasHello) this.#breach("a second hello");
      if (message.data.type !== "hello" && !hasHello) this.#breach("a message before the hello");
      if (!hasHello && this.welcomes)
        link.send(
          JSON.stringify({
            type: "welcome",
            protocol: this.protocol,
            server_id: this.serverId,
            ...this.additions,
          }),
        );
      hasHello = true;
      this.messages.push(message.data);
      this.#changed();
    });
    link.on("close", () => {
      if (this.#link === link) this.#link = null;
      this.#changed();
    });
    this.#changed();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith("/v1/agent/artifacts/") === true) {
      const refuse = (status: number): void => respond(response, status, problemOf(status), this.retryAfter);
      if (!this.#isAuthorized(request)) return refuse(401);
      const breach = await this.artifacts.answer(request, response, refuse);
      if (breach !== null) this.#breach(breach);
      return this.#changed();
    }
    const body: unknown = JSON.parse((await readBody(request)) || "null");
    const [badText] = notWellFormed(body, 1);
    if (badText !== undefined) {
      this.#breach(`text that is not well-formed Unicode at ${badText.join("/")}`);
      return respond(response, 422, problemOf(422));
    }
    if (request.method === "POST" && request.url === "/v1/agent/enroll") return this.#enroll(body, response);
    const match = /^\/v1\/agent\/deployments\/([^/]+)\/events$/.exec(request.url ?? "");
    if (request.method !== "POST" || match === null) {
      this.#breach(`unknown request ${request.method} ${request.url}`);
      return respond(response, 404, {});
    }
    if (this.proxyStatus !== null) {
      response.writeHead(this.proxyStatus, { "content-type": "text/html" });
      return void response.end(FOREIGN_PAGE);
    }
    if (!this.#isAuthorized(request)) return respond(response, 401, problemOf(401));
    const posted = RunEvents.safeParse(body);
    if (!posted.success) {
      this.#breach(`malformed events: ${posted.error.message}`);
      return respond(response, 422, problemOf(422));
    }
    await this.#receive(posted.data, match[1] ?? "", response);
  }

  async #receive(posted: RunEvents, deploymentId: string, response: ServerResponse): Promise<void> {
    const run = this.runs.get(posted.run_id);
    if (run === undefined) return respond(response, 404, problemOf(404));
    if (run.order.deployment_id !== deploymentId) this.#breach("another deployment's run");
    const inFlight = (this.#inFlight.get(posted.run_id) ?? 0) + 1;
    this.#inFlight.set(posted.run_id, inFlight);
    if (inFlight > 1) this.#breach("two requests of one run at the same time");
    response.on("close", () =>
      this.#inFlight.set(posted.run_id, (this.#inFlight.get(posted.run_id) ?? 1) - 1),
    );
    this.posts += 1;
    run.posts += 1;
    const fault = this.faultOf({ count: this.posts, events: posted.events });
    if (fault === "lost") return void response.destroy();
    if (typeof fault === "number") return respond(response, fault, problemOf(fault), this.retryAfter);
    if (fault !== "known") for (const event of posted.events) this.#store(run, event);
    this.#changed();
    if (fault === "answer_lost") return void response.destroy();
    const instruction = this.#instruct(run);
    response.on("finish", () => this.afterAnswer({ instruction }));
    respond(response, 200, { ...this.additions, acked_seq: run.events.length, instruction });
  }

  #store(run: FakeRun, event: RunEvent): void {
    const held = run.events[event.seq - 1];
    if (held !== undefined) {
      if (!isDeepStrictEqual(held, event)) this.#breach(`event ${event.seq} has changed`);
      return;
    }
    if (event.seq !== run.events.length + 1)
      return this.#breach(`event ${event.seq} after ${run.events.length}`);
    if (resultOf(run) !== null) this.#breach(`${event.type} after the result`);
    if (event.type === "ready" && run.order.preapproved) this.#breach("ready, although preapproved");
    if (event.type === "stage") {
      const last = run.events.findLast((each) => each.type === "stage");
      if (last?.type === "stage" && runStages.indexOf(last.stage) >= runStages.indexOf(event.stage))
        this.#breach(`stage ${event.stage} after ${last.stage}`);
      const isPermitted =
        run.order.preapproved || (run.grantsPermit && run.events.some((each) => each.type === "ready"));
      if ((event.stage === "release" || event.stage === "activate") && !isPermitted)
        this.#breach(`stage ${event.stage} without a permit`);
    }
    run.events.push(event);
  }

  #instruct(run: FakeRun): Instruction {
    if (resultOf(run) !== null) return "ended";
    if (run.instruction !== "continue") return run.instruction;
    const last = run.events.findLast((event) => event.type !== "output");
    return run.grantsPermit && last?.type === "ready" ? "activate" : "continue";
  }

  #enroll(body: unknown, response: ServerResponse): void {
    const input = EnrollInput.safeParse(body);
    if (!input.success) {
      this.#breach("malformed enrolment");
      return respond(response, 422, problemOf(422));
    }
    if (input.data.protocol !== this.protocol)
      return respond(response, 409, {
        type: "about:blank",
        title: "Protocol mismatch",
        status: 409,
        detail: `The agent speaks protocol ${input.data.protocol}, this installation ${this.protocol}: update.`,
        code: "protocol_mismatch",
        request_id: "req_1",
      });
    if (input.data.token !== this.enrolmentToken)
      return respond(response, 401, {
        type: "about:blank",
        title: "Token invalid",
        status: 401,
        detail: "The enrolment token is unknown.",
        code: "invalid_token",
        request_id: "req_1",
      });
    // After the first attempt, the token only works for that same attempt.
    const isFirst = this.#attempt === null;
    this.#attempt ??= input.data.attempt ?? "";
    if (this.#attempt === "" ? !isFirst : this.#attempt !== input.data.attempt)
      return respond(response, 401, problemOf(401));
    if (this.losesEnrolment) return void response.destroy();
    respond(response, 201, { ...this.additions, server_id: this.serverId, credential: this.credential });
  }

  #isAuthorized(request: IncomingMessage): boolean {
    return this.acceptsCredential && request.headers.authorization === `Bearer ${this.credential}`;
  }

  #breach(what: string): void {
    this.breaches.push(what);
    this.#changed();
  }

  #changed(): void {
    for (const look of this.#watchers) look();
  }
}

export function resultOf(run: FakeRun): RunResult | null {
  const last = run.events.at(-1);
  return last?.type === "result" ? last.result : null;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

/** The answer of a proxy instead of the control plane's. */
const FOREIGN_PAGE = "<!doctype html><title>Who are you?</title>";

function refusalText(status: number, body: string, retryAfter: number | null = null): string {
  const headers = [
    `content-length: ${Buffer.byteLength(body)}`,
    ...(retryAfter === null ? [] : [`retry-after: ${retryAfter}`]),
  ];
  return `HTTP/1.1 ${status} Refused\r\n${headers.join("\r\n")}\r\n\r\n${body}`;
}

function problemOf(status: number): Problem {
  const text = { type: "about:blank", title: "Refused", detail: "It is refused.", request_id: "req_1" };
  return { ...text, status, code: status === 401 ? "invalid_token" : "refused" };
}

function respond(
  response: ServerResponse,
  status: number,
  body: unknown,
  retryAfter: number | null = null,
): void {
  if (retryAfter !== null) response.setHeader("retry-after", retryAfter);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
