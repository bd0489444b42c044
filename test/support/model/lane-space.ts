import type { DeploymentId, RunId } from "#contract/ids.ts";
import type { Result } from "#contract/problems.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideDelete } from "#domain/lane/decide-delete.ts";
import type { Decision, DecisionWith } from "#domain/lane/decision.ts";
import { isIn, type LaneDeployment, liveOf } from "#domain/lane/lane.ts";
import { CI, apply, laneWithLive, PROJECT, rollBack, start } from "../lane.ts";
import { crash, startedAgent } from "./model-agent.ts";
import {
  arrive,
  arriveTwice,
  type Budgets,
  connect,
  correct,
  cutSocket,
  giveUp,
  isLinked,
  post,
  step,
  tell,
  wayOf,
  type ModelWorld,
} from "./model-world.ts";
import type { Space } from "./search.ts";

type NextWorld = readonly [step: string, world: ModelWorld];
/** The ids of the nth start of a world, so that two paths to the same state have the same ids. */
const idsOfStart: { id: DeploymentId; runId: RunId }[] = [];

const NOTHING: Budgets = {
  start: 0,
  rollback: 0,
  apply: 0,
  cancel: 0,
  delete: 0,
  failure: 0,
  crash: 0,
  reconnect: 0,
  cut: 0,
  loss: 0,
  doubling: 0,
  giveUp: 0,
  timeJump: 0,
};

/** A project with two releases on a connected server. The second release is live. */
export function worldWithTwoReleases(budgets: Partial<Budgets>): ModelWorld {
  const lane = laneWithLive(2);
  return {
    lane,
    agent: startedAgent({ project_id: PROJECT, url: null }, [1, 2]),
    connection: 1,
    link: 1,
    wire: [],
    now: 0,
    budgets: { ...NOTHING, ...budgets },
    accepted: [1, 2],
    permits: [],
    switches: [],
    forgotten: [],
    wrong: null,
    withdrawn: [],
  };
}

export const laneSpace: Space<ModelWorld> = {
  *next(world) {
    const byItself = [...steps(world)];
    yield* byItself;
    yield* faults(world);
    yield* requests(world);
    // Time passes only if there is no other step.
    const waited = byItself.length === 0 ? jump(world) : null;
    if (waited !== null) yield ["nothing but time passes", waited];
  },
  check(before, after) {
    checkAlways(before, after);
    if (isQuiet(after)) checkQuiet(after);
  },
  keyOf,
};

/** The steps that occur without a client's request or a fault. */
function* steps(world: ModelWorld): Iterable<NextWorld> {
  yield* tell(world);
  const corrected = correct(world);
  if (corrected !== null) yield ["lane corrects", corrected];
  const worked = step(world, true);
  if (worked !== null) yield ["work", worked];
  for (const { runId, version, awaitsAnswer } of world.agent.runs) {
    const posted = post(world, runId);
    if (posted !== null) yield [`post ${version}`, posted];
    const isAnswerLost = !world.wire.some(
      (message) =>
        (message.kind === "post" && message.isHeard && message.runId === runId) ||
        (message.kind === "answer" && message.runId === runId),
    );
    if (awaitsAnswer && isAnswerLost) yield [`no answer ${version}`, giveUp(world, runId)];
  }
  for (const [at, { kind }] of world.wire.entries()) {
    const arrived = arrive(world, at);
    if (arrived !== null) yield [`${kind} arrives`, arrived];
  }
  if (!world.agent.isUp) yield ["agent starts", connect({ ...world, agent: { ...world.agent, isUp: true } })];
  else if (!isLinked(world) && !world.wire.some(({ kind }) => kind === "hello"))
    yield ["agent finds its link dead", connect(world)];
}

/** The faults, as often as the budgets allow. */
function* faults(world: ModelWorld): Iterable<NextWorld> {
  const { wire, agent, budgets } = world;
  const failed = budgets.failure > 0 ? step(spend(world, "failure"), false) : null;
  if (failed !== null) yield ["work fails", failed];
  for (const [at, { kind }] of wire.entries()) {
    const isOnHttp = kind === "post" || kind === "answer";
    if (budgets.loss > 0 && isOnHttp)
      yield [`${kind} is lost`, { ...spend(world, "loss"), wire: wire.toSpliced(at, 1) }];
    if (budgets.doubling > 0 && kind === "post")
      yield ["post arrives twice", arriveTwice(spend(world, "doubling"), at)];
  }
  if (budgets.giveUp > 0)
    for (const { runId, version, awaitsAnswer } of agent.runs)
      if (awaitsAnswer) yield [`gives up waiting ${version}`, giveUp(spend(world, "giveUp"), runId)];
  if (budgets.crash > 0 && agent.isUp) {
    const cut = agent.runs.reduce((left, { runId }) => giveUp(left, runId), cutSocket(spend(world, "crash")));
    const dead = crash(agent);
    const lost = agent.runs.filter((run) => dead.runs.every(({ runId }) => runId !== run.runId));
    const forgotten = [...world.forgotten, ...lost.map(({ runId }) => runId)];
    yield ["agent dies", { ...cut, agent: dead, forgotten }];
  }
  if (budgets.reconnect > 0 && agent.isUp) yield ["agent reconnects", connect(spend(world, "reconnect"))];
  if (budgets.cut > 0 && isLinked(world)) yield ["link is cut", { ...spend(world, "cut"), link: 0 }];
  const later = budgets.timeJump > 0 ? jump(spend(world, "timeJump")) : null;
  if (later !== null) yield ["time passes", later];
}

function* requests(world: ModelWorld): Iterable<NextWorld> {
  const { lane, now, budgets } = world;
  if (budgets.start > 0) yield* afterStart("start", spend(world, "start"), start(lane, now, idsFor(world)));
  if (budgets.rollback > 0) {
    const decided = rollBack(lane, undefined, now, idsFor(world));
    yield* afterStart("roll back", spend(world, "rollback"), decided);
  }
  if (budgets.apply > 0) yield* afterStart("apply", spend(world, "apply"), apply(lane, now, idsFor(world)));
  for (const deployment of lane.deployments) {
    const { id, version } = deployment;
    if (budgets.cancel > 0) {
      const decided = decideCancel(lane, id, CI, now);
      yield* afterWithdrawal(`cancel ${version}`, spend(world, "cancel"), deployment, decided);
    }
    if (budgets.delete > 0) {
      const decided = decideDelete(lane, id, CI, now);
      yield* afterWithdrawal(`delete ${version}`, spend(world, "delete"), deployment, decided);
    }
  }
}

function* afterStart(
  what: string,
  world: ModelWorld,
  decided: Result<DecisionWith<{ version: number }>>,
): Iterable<NextWorld> {
  if (!decided.ok) return;
  const { version } = decided.value.value;
  yield [what, { ...world, lane: decided.value.lane, accepted: [...world.accepted, version] }];
}

function* afterWithdrawal(
  what: string,
  world: ModelWorld,
  deployment: LaneDeployment,
  decided: Result<Decision>,
): Iterable<NextWorld> {
  if (!decided.ok || decided.value.lane === world.lane) return;
  const runIds = isIn(deployment, "queued", "active") ? [deployment.runId] : [];
  yield [what, { ...world, lane: decided.value.lane, withdrawn: [...world.withdrawn, ...runIds] }];
}

function idsFor({ lane }: ModelWorld) {
  const nth = lane.nextVersion;
  return (idsOfStart[nth] ??= newIds());
}

function newIds(): { id: DeploymentId; runId: RunId } {
  const started = start(laneWithLive(0));
  const [one] = started.ok ? started.value.lane.deployments : [];
  if (one === undefined) throw new Error("a fresh lane takes a start");
  return { id: one.id, runId: one.runId };
}

function spend(world: ModelWorld, what: keyof Budgets): ModelWorld {
  return { ...world, budgets: { ...world.budgets, [what]: world.budgets[what] - 1 } };
}

/** Advances the time to the lane's next alarm. */
function jump(world: ModelWorld): ModelWorld | null {
  const at = nextDeadline(world.lane);
  if (at === null) return null;
  const now = Math.max(world.now + 1, at);
  return { ...world, now, lane: decideDeadlines(world.lane, now).lane };
}

/** Whether no further step can occur without a client's request or a fault. */
function isQuiet(world: ModelWorld): boolean {
  if (nextDeadline(world.lane) !== null) return false;
  for (const _ of steps(world)) return false;
  return true;
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function checkAlways(before: ModelWorld, after: ModelWorld): void {
  const { lane, agent, switches, permits } = after;
  const count = (...names: Parameters<typeof isIn>[1][]) =>
    lane.deployments.filter((one) => isIn(one, ...names)).length;
  must(count("active") <= 1, "two deployments run");
  must(count("live") === 1, "not exactly one is live");
  must(count("queued") === 0 || count("active") === 1, "a queue has nothing ahead of it");
  must(
    after.accepted.every((version, at) => version === at + 1),
    "versions do not rise by one",
  );
  must(
    switches.every((runId) => permits.includes(runId)),
    "a switch without a permit",
  );
  must(
    !switches.some((runId) => after.withdrawn.includes(runId)),
    "what was canceled or deleted is switched to",
  );
  must(
    agent.current !== null && agent.releases.includes(agent.current),
    "what is served is not a whole release",
  );
  const hasRestored =
    agent.current !== before.agent.current && agent.runs === before.agent.runs && agent.isUp;
  if (hasRestored)
    must(
      agent.current === liveOf(lane)?.state.served[0]?.release,
      "a release is restored that is not the live one",
    );
  for (const one of lane.deployments) {
    const earlier = before.lane.deployments.find(({ id }) => id === one.id);
    if (earlier === undefined || earlier.state.name === one.state.name) continue;
    const wasEnded = isIn(earlier, "failed", "canceled", "superseded");
    must(!wasEnded, `${one.version} was ${earlier.state.name} and is ${one.state.name}`);
    if (one.state.name === "live")
      must(switches.includes(one.runId), `${one.version} is live and was never served`);
    if (one.state.name === "live" && one.kind === "config")
      must(
        one.codeVersion === liveOf(before.lane)?.codeVersion,
        `${one.version} undoes what was live before it`,
      );
    if (one.state.name === "failed" && one.state.failure.message.includes("reconnected without"))
      must(after.forgotten.includes(one.runId), `${one.version} counts as lost, and the agent has it`);
  }
}

function checkQuiet({ lane, agent, wire }: ModelWorld): void {
  must(wire.length === 0, "something is on its way forever");
  must(agent.runs.length === 0, "the agent has a run that nobody waits for");
  must(
    lane.deployments.every((one) => !isIn(one, "queued", "active")),
    "something never ends",
  );
  const live = liveOf(lane);
  must(
    live === null || agent.current === live.state.served[0]?.release,
    "the server serves another release than the live one",
  );
}

/** A number for each distinct text. */
const numbers = new Map<string, number>();
/** Caches the numbers of objects, because most parts of a world do not change in a step. */
const numbersOfParts = new WeakMap<object, number>();

/**
 * @param compared the part of the value to compare, if not all of it
 * @returns a number that is the same for two values with the same JSON text
 */
function numberOf<Value extends object>(value: Value, compared?: (value: Value) => object): number {
  const known = numbersOfParts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(compared?.(value) ?? value);
  const number = numbers.get(text) ?? numbers.size;
  numbers.set(text, number);
  numbersOfParts.set(value, number);
  return number;
}

const IRRELEVANT = { actor: null, createdAt: null, commitSha: null, commitMessage: null };

/** A deployment without the fields that no decision uses. */
function deciding(deployment: LaneDeployment): object {
  const state = { ...deployment.state, plan: null };
  if (!("served" in state)) return { ...deployment, ...IRRELEVANT, state };
  const served = state.served.map((there) => ({ ...there, evidence: null }));
  return { ...deployment, ...IRRELEVANT, state: { ...state, served } };
}

const ORDERED_WAYS = ["to agent", "to link", "to lane"] as const;

function keyOf({ lane, agent, wire, connection, link, now, wrong, ...lists }: ModelWorld): string {
  const { budgets, accepted, permits, switches, forgotten, withdrawn: withdrawnRuns } = lists;
  const key: (number | boolean | string | null)[] = [lane.nextVersion, connection, link, now];
  key.push(agent.isUp, agent.current, wrong === null ? null : numberOf(wrong));
  const parts = [budgets, accepted, permits, switches, forgotten, withdrawnRuns, agent.releases, agent.seen];
  for (const part of parts) key.push(numberOf(part));
  for (const deployment of lane.deployments) key.push(numberOf(deployment, deciding));
  key.push("runs");
  for (const run of agent.runs) key.push(numberOf(run));
  // Messages on different ways have no order between them, and HTTP messages have no order at all.
  for (const way of ORDERED_WAYS) {
    key.push(way);
    for (const message of wire) if (wayOf(message) === way) key.push(numberOf(message));
  }
  const onHttp = wire.filter((message) => wayOf(message) === "http").map((message) => numberOf(message));
  key.push("http", ...onHttp.toSorted((a, b) => a - b));
  return key.join();
}
