import type { RunEvent } from "#contract/agent-events.ts";
import type { ProjectReport, ToAgent } from "#contract/agent-protocol.ts";
import type { Instruction } from "#contract/agent-events.ts";
import { type DeploymentId, RunId } from "#contract/ids.ts";
import { checkServing, type ServingCheck } from "#domain/lane/check-serving.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { noteSent, noteUndelivered } from "#domain/lane/pending-messages.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { firstMessage, PROJECT, SERVER } from "../lane.ts";
import {
  eventsToPost,
  type ModelAgent,
  mustAnnounce,
  replace,
  reportOf,
  receiveAnswer,
  receiveMessage,
  work,
  workingRun,
} from "./model-agent.ts";

/** How often each request or fault may occur. Other steps are not limited. */
export type Budgets = Readonly<
  Record<
    | "start"
    | "rollback"
    | "apply"
    | "cancel"
    | "delete"
    | "failure"
    | "crash"
    | "reconnect"
    | "cut"
    | "loss"
    | "doubling"
    | "giveUp"
    | "timeJump",
    number
  >
>;

/**
 * A message in transit. Messages on one way (a socket in each direction, and the link's calls of the lane) keep their
 * order, except on HTTP. There is no order between the ways. `connection`: the socket that carries the message; if it
 * closes, the message is lost. `isHeard`: whether the agent still waits for the answer to its post.
 */
export type Message =
  | { readonly kind: "order"; readonly connection: number; readonly message: ToAgent }
  | {
      readonly kind: "hello" | "reconcile";
      readonly connection: number;
      readonly report: ProjectReport;
      readonly runIds: readonly RunId[];
    }
  | { readonly kind: "serving" | "comparison"; readonly connection: number; readonly report: ProjectReport }
  | {
      readonly kind: "post";
      readonly runId: RunId;
      readonly deploymentId: DeploymentId;
      readonly events: readonly RunEvent[];
      readonly isHeard: boolean;
    }
  | {
      readonly kind: "answer";
      readonly runId: RunId;
      readonly ackedSeq: number;
      readonly instruction: Instruction;
    };

/** The real lane, a model of its link and of one agent, and the messages in transit. Times are Unix milliseconds. */
export type ModelWorld = {
  readonly lane: Lane;
  readonly agent: ModelAgent;
  /** The agent's socket; each new one has the next number. */
  readonly connection: number;
  /** The socket that the link sends on; 0: the link has noticed that it is closed. */
  readonly link: number;
  readonly wire: readonly Message[];
  readonly now: number;
  readonly budgets: Budgets;
  /** The versions that clients received. */
  readonly accepted: readonly number[];
  readonly permits: readonly RunId[];
  readonly switches: readonly RunId[];
  /** The runs that were lost with the agent before it had recorded them. */
  readonly forgotten: readonly RunId[];
  /** A report of a wrong release that is checked again when the active run has ended. */
  readonly wrong: ProjectReport | null;
  /** The runs that clients canceled or deleted before they had ended. */
  readonly withdrawn: readonly RunId[];
};

/**
 * The lane sends its pending message on the socket that the link knows. On a socket that the agent has left, the message
 * is lost. If the link has noticed that the socket is closed, it reports the message as undelivered.
 */
export function* tell(world: ModelWorld): Iterable<readonly [step: string, world: ModelWorld]> {
  const due = firstMessage(world.lane, PROJECT, world.now);
  if (due === null) return;
  // The link holds an order back until the lane has answered the hello.
  if (world.wire.some(({ kind }) => kind === "reconcile")) return;
  const told = { ...world, lane: noteSent(world.lane, due.runId, world.now) };
  const { message } = due;
  if (!isLinked(world)) {
    yield ["tell nobody", { ...told, lane: noteUndelivered(told.lane, due.runId, world.now) }];
    if (world.link === 0) return;
  }
  const permitted = message.type === "run" && message.order.preapproved ? [message.order.run_id] : [];
  yield ["tell", sendOrder({ ...told, permits: together(world.permits, permitted) }, message)];
}

/** Whether what the link sends can reach the agent. */
export function isLinked({ link, connection, agent }: ModelWorld): boolean {
  return link === connection && agent.isUp;
}

/** A message on a socket that the agent has left is lost. */
function sendOrder(world: ModelWorld, message: ToAgent): ModelWorld {
  if (!isLinked(world)) return world;
  return put(world, { kind: "order", connection: world.connection, message });
}

/** @returns null if another message must arrive first */
export function arrive(world: ModelWorld, at: number): ModelWorld | null {
  const message = world.wire[at];
  if (message === undefined) return null;
  const way = wayOf(message);
  if (way !== "http" && world.wire.slice(0, at).some((other) => wayOf(other) === way)) return null;
  return receive({ ...world, wire: world.wire.toSpliced(at, 1) }, message);
}

/** A message arrives and will arrive again. This occurs only with HTTP retries. */
export function arriveTwice(world: ModelWorld, at: number): ModelWorld {
  const message = world.wire[at];
  if (message?.kind !== "post") return world;
  const again = { ...message, isHeard: false };
  return receive({ ...world, wire: world.wire.with(at, again) }, message);
}

export function wayOf({ kind }: Message): "to agent" | "to link" | "to lane" | "http" {
  switch (kind) {
    case "order":
      return "to agent";
    case "hello":
    case "serving":
      return "to link";
    case "reconcile":
    case "comparison":
      return "to lane";
    case "post":
    case "answer":
      return "http";
  }
}

function receive(world: ModelWorld, message: Message): ModelWorld {
  switch (message.kind) {
    case "order":
      return announceChange(world, receiveMessage(world.agent, message.message));
    case "hello":
      return put({ ...world, link: message.connection }, { ...message, kind: "reconcile" });
    case "reconcile":
      return receiveHello(world, message);
    case "serving":
      return put(world, { ...message, kind: "comparison" });
    case "comparison":
      return compare(world, message.report);
    case "post":
      return receivePost(world, message);
    case "answer": {
      const { runId, ackedSeq, instruction } = message;
      return announceChange(world, receiveAnswer(world.agent, runId, ackedSeq, instruction));
    }
  }
}

function receiveHello(
  world: ModelWorld,
  { connection, report, runIds }: Extract<Message, { kind: "hello" | "reconcile" }>,
) {
  const decided = reconcile(world.lane, { serverId: SERVER, report, runIds }, world.now);
  const reconciled = { ...world, lane: decided.lane };
  const { serving } = decided.value;
  if (serving === null) return reconciled;
  return receiveReport(reconciled, report, serving, connection === world.connection);
}

/** Applies the lane's check of the served release: the link or the lane sends the correction. */
function receiveReport(
  world: ModelWorld,
  report: ProjectReport,
  serving: ServingCheck,
  isHeard = true,
): ModelWorld {
  const noted = { ...world, wrong: serving.kind === "later" ? report : null };
  if (serving.kind !== "correct_release" || !isHeard) return noted;
  return sendOrder(noted, { type: "correct_release", project_id: PROJECT, release: serving.release });
}

function compare(world: ModelWorld, report: ProjectReport): ModelWorld {
  return receiveReport(world, report, checkServing(world.lane, { serverId: SERVER, report }));
}

/** The active run has ended, and the server still serves a wrong release. */
export function correct(world: ModelWorld): ModelWorld | null {
  const { wrong } = world;
  if (wrong === null || checkServing(world.lane, { serverId: SERVER, report: wrong }).kind === "later")
    return null;
  return compare(world, wrong);
}

function receivePost(world: ModelWorld, posted: Extract<Message, { kind: "post" }>): ModelWorld {
  const { deploymentId, runId, events } = posted;
  const decided = decideRunEvents(world.lane, { deploymentId, runId, serverId: SERVER, events }, world.now);
  const { acked_seq: ackedSeq, instruction } = decided.value;
  const permits = together(world.permits, instruction === "activate" ? [runId] : []);
  const taken = { ...world, lane: decided.lane, permits };
  const answered = posted.isHeard ? put(taken, { kind: "answer", runId, ackedSeq, instruction }) : taken;
  const last = events.at(-1);
  return last?.type === "result" ? compare(answered, last.project) : answered;
}

/** The active run takes its next step. @param goesWell whether the step succeeds */
export function step(world: ModelWorld, goesWell: boolean): ModelWorld | null {
  const { agent } = world;
  const run = agent.isUp ? workingRun(agent) : null;
  if (run === null) return null;
  const next = work(agent, run, goesWell);
  const hasSwitched = next.runs.some((one) => one.runId === run.runId && one.phase === "switched");
  const switches = together(world.switches, hasSwitched ? [run.runId] : []);
  return announceChange({ ...world, switches }, next);
}

/** The world with the changed agent. A change that no result reports is sent as a message of its own. */
function announceChange(world: ModelWorld, agent: ModelAgent): ModelWorld {
  const changed = { ...world, agent };
  if (!mustAnnounce(world.agent, agent)) return changed;
  return put(changed, { kind: "serving", connection: world.connection, report: reportOf(agent) });
}

export function post(world: ModelWorld, runId: RunId): ModelWorld | null {
  const run = world.agent.runs.find((one) => one.runId === runId);
  const events = world.agent.isUp && run !== undefined ? eventsToPost(run) : null;
  if (run === undefined || events === null) return null;
  const agent = replace(world.agent, { ...run, awaitsAnswer: true });
  const { deploymentId } = run;
  return put({ ...world, agent }, { kind: "post", runId, deploymentId, events, isHeard: true });
}

/** The agent's request times out: it ignores a late answer, and posts again. */
export function giveUp(world: ModelWorld, runId: RunId): ModelWorld {
  const runs = world.agent.runs.map((run) => (run.runId === runId ? { ...run, awaitsAnswer: false } : run));
  const wire = world.wire.flatMap((message): Message[] => {
    if (message.kind === "post" && message.runId === runId) return [{ ...message, isHeard: false }];
    return message.kind === "answer" && message.runId === runId ? [] : [message];
  });
  return { ...world, agent: { ...world.agent, runs }, wire };
}

/** Messages on a closed socket are lost. Messages that have left it still arrive. */
export function cutSocket(world: ModelWorld): ModelWorld {
  const dies = ({ kind }: Message) => kind === "order" || kind === "hello" || kind === "serving";
  return { ...world, wire: world.wire.filter((message) => !dies(message)) };
}

/** A new socket, and the hello on it. */
export function connect(world: ModelWorld): ModelWorld {
  const connection = world.connection + 1;
  const runIds = world.agent.runs.map(({ runId }) => RunId.parse(runId));
  const report = reportOf(world.agent);
  return put({ ...cutSocket(world), connection }, { kind: "hello", connection, report, runIds });
}

function put(world: ModelWorld, message: Message): ModelWorld {
  return { ...world, wire: [...world.wire, message] };
}

function together<Value>(some: readonly Value[], more: readonly Value[]): readonly Value[] {
  return more.every((one) => some.includes(one)) ? some : [...new Set([...some, ...more])];
}
