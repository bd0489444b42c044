import type { Rollout } from "#contract/endpoints/projects/servers.ts";
import { type DeploymentId, RunId, type ServerId } from "#contract/ids.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { liveOf } from "#domain/lane/lane.ts";
import { isRunIn } from "#domain/lane/runs.ts";
import { apply, laneWithLive, rollBack, start } from "../lane.ts";
import { checkRest, checkStep } from "./fleet-checks.ts";
import { keyOfFleet } from "./fleet-key.ts";
import {
  act,
  approveActive,
  cancelActive,
  connect,
  correct,
  cut,
  planOn,
  type FleetWorld,
  idsIn,
  isReached,
  kill,
  newFleet,
  post,
  push,
  remove,
  serverOf,
  tell,
  untilAlarm,
  wait,
} from "./fleet-world.ts";
import type { Space } from "./search.ts";

/** How often each request or fault may occur. Other steps are not limited. `undo`: a start on the servers before. */
export type FleetBudgets = {
  readonly start: number;
  readonly undo: number;
  readonly rollback: number;
  readonly apply: number;
  readonly cancel: number;
  readonly approve: number;
  readonly push: number;
  readonly failure: number;
  readonly crash: number;
  readonly forget: number;
  readonly wipe: number;
  readonly cut: number;
  readonly unlink: number;
  readonly lost: number;
  readonly answer: number;
  readonly time: number;
};

const NOTHING: FleetBudgets = {
  start: 0,
  undo: 0,
  rollback: 0,
  apply: 0,
  cancel: 0,
  approve: 0,
  push: 0,
  failure: 0,
  crash: 0,
  forget: 0,
  wipe: 0,
  cut: 0,
  unlink: 0,
  lost: 0,
  answer: 0,
  time: 0,
};

/** `before`: the servers on which releases were live. */
export type FleetState = Asked & {
  readonly before: readonly ServerId[];
  readonly world: FleetWorld;
  readonly left: FleetBudgets;
};

/** What a deployment is asked to do. */
type Asked = {
  readonly servers: readonly ServerId[];
  readonly rollout: Rollout;
  readonly builder?: ServerId | undefined;
};

type NextState = readonly [step: string, state: FleetState];
type NextWorld = readonly [step: string, world: FleetWorld];

/** `before`: the servers on which releases were live. `releases`: how many. */
export type FleetScenario = Asked & {
  readonly before: readonly ServerId[];
  readonly releases: number;
  readonly budgets: Partial<FleetBudgets>;
};

/** The first state of a scenario. */
export function firstState({ before, servers, releases, rollout, budgets }: FleetScenario): FleetState {
  const empty = newFleet([...new Set([...before, ...servers])]);
  const versions = Array.from({ length: releases }, (_, at) => at + 1);
  const deployed = versions.reduce(
    (world, nth) => settle(started(push(world, nth), { servers: before, rollout })),
    empty,
  );
  const world = push({ ...deployed, permits: [], switches: [] }, releases + 1);
  return { world, left: { ...NOTHING, ...budgets }, before, servers, rollout };
}

/** A world after the start of a deployment; the same one if it is refused. */
export function started(world: FleetWorld, asked: Asked): FleetWorld {
  return accepted(world, start(world.lane, world.now, requestFor(world, asked)));
}

/** A world after the start of a rollback; the same one if it is refused. */
export function rolledBack(world: FleetWorld, asked: Asked): FleetWorld {
  return accepted(world, rollBack(world.lane, undefined, world.now, requestFor(world, asked)));
}

/** A world after settings are applied; the same one if that is refused. */
function applied(world: FleetWorld, asked: Asked): FleetWorld {
  return accepted(world, apply(world.lane, world.now, requestFor(world, asked)));
}

function accepted(
  world: FleetWorld,
  decided: ReturnType<typeof start | typeof rollBack | typeof apply>,
): FleetWorld {
  return decided.ok ? { ...world, lane: decided.value.lane } : world;
}

function requestFor({ lane }: FleetWorld, { servers, rollout, builder }: Asked) {
  const [serverId] = servers;
  if (serverId === undefined) throw new Error("a project has a server");
  return { ...idsOfStart(lane.nextVersion), serverId, plan: planOn(servers, rollout, builder) };
}

/** The ids of the nth start of a world, so that two paths to the same state have the same ids. */
const ids: { id: DeploymentId; runId: RunId }[] = [];

function idsOfStart(nth: number) {
  while (ids.length <= nth) {
    const [one] = laneWithLive(1).deployments;
    if (one === undefined) throw new Error("a fresh lane takes a start");
    // The ids of further runs are counted from it.
    ids.push({ id: one.id, runId: RunId.parse(`${one.runId.slice(0, -4)}0000`) });
  }
  const found = ids[nth];
  if (found === undefined) throw new Error("no ids");
  return found;
}

export const fleetSpace: Space<FleetState> = {
  *next(state) {
    const { world } = state;
    const inState = ([step, next]: NextWorld): NextState => [step, { ...state, world: next }];
    const byItself = [...steps(world)];
    yield* byItself.map(inState);
    yield* faults(state);
    yield* requests(state);
    for (const id of idsIn(world))
      if (!isReached(serverOf(world, id)))
        yield inState([`${nameOf(world, id)} connects`, connect(world, id)]);
    // Time passes only if there is no other step.
    if (byItself.length > 0) return;
    yield* [...returns(world)].map(inState);
    const waited = jump(world);
    if (waited !== world) yield inState(["nothing but time passes", waited]);
  },
  check({ world: before }, { world }) {
    checkStep(before, world);
    if (isQuiet(world)) checkRest(world);
  },
  keyOf: ({ world, left }) => `${keyOfFleet(world)} ${Object.values(left).join()}`,
};

/** The steps that occur without a client's request or a fault. */
function* steps(world: FleetWorld): Iterable<NextWorld> {
  const when = (step: string, next: FleetWorld): NextWorld[] => (next === world ? [] : [[step, next]]);
  for (const id of idsIn(world)) {
    const name = nameOf(world, id);
    const isThere = isReached(serverOf(world, id));
    yield* when(isThere ? `tell ${name}` : `tell ${name}, which is away`, tell(world, id));
    if (isThere) yield* when(`${name} removes`, remove(world, id));
    yield* when(`${name} works`, act(world, id, true));
    yield* when(`correct ${name}`, correct(world, id));
    for (const { runId, version } of serverOf(world, id).agent.runs)
      yield* when(`${name} posts ${version}`, changedBy(world, post(world, id, runId, true)));
  }
}

/** Servers that are away connect, and servers whose tries have failed do so again. */
function* returns(world: FleetWorld): Iterable<NextWorld> {
  const waiting = (liveOf(world.lane)?.state.behind ?? []).filter(({ run }) => isRunIn(run, "waiting"));
  for (const id of idsIn(world)) {
    const isBehind = waiting.some(({ run }) => run.serverId === id);
    if (isBehind || !isReached(serverOf(world, id)))
      yield [`${nameOf(world, id)} connects`, connect(world, id)];
  }
}

/** The faults, as often as the budgets allow. */
function* faults(state: FleetState): Iterable<NextState> {
  const { world } = state;
  for (const id of idsIn(world)) {
    const name = nameOf(world, id);
    const server = serverOf(world, id);
    const { agent, network } = server;
    yield* spend(state, "failure", `${name} fails`, () => act(world, id, false));
    if (!agent.isUp) continue;
    if (agent.runs.length > 0) {
      yield* spend(state, "crash", `the agent of ${name} dies`, () => kill(world, id, "keeps its runs"));
      yield* spend(state, "forget", `${name} loses its runs`, () => kill(world, id, "loses its runs"));
    }
    yield* spend(state, "wipe", `${name} loses its files`, () => kill(world, id, "loses its files"));
    for (const { runId } of agent.runs)
      yield* spend(state, "answer", `the answer to ${name} is lost`, () =>
        changedBy(world, post(world, id, runId, false)),
      );
    if (network !== "works") continue;
    yield* spend(state, "cut", `${name} is cut off`, () => cut(world, id, "cut"));
    yield* spend(state, "unlink", `the socket of ${name} closes`, () => cut(world, id, "no socket"));
    yield* spend(state, "lost", `a message to ${name} is lost`, () => tell(world, id, "lost"));
  }
  const at = nextDeadline(world.lane);
  if (at === null) return;
  const late = Math.max(1, at - world.now);
  yield* spend(state, "time", "time passes", () => wait(world, late, { areHeard: false }));
}

function* requests(state: FleetState): Iterable<NextState> {
  const { world } = state;
  yield* spend(state, "start", "start", () => started(world, state));
  const { before, rollout } = state;
  yield* spend(state, "undo", "start on the servers before", () =>
    started(world, { servers: before, rollout }),
  );
  yield* spend(state, "rollback", "roll back", () => rolledBack(world, state));
  yield* spend(state, "apply", "apply", () => applied(world, state));
  yield* spend(state, "cancel", "cancel", () => cancelActive(world));
  yield* spend(state, "approve", "approve", () => approveActive(world));
  yield* spend(state, "push", "push", () => push(world, LATER_COMMIT));
}

const LATER_COMMIT = 99;

/** A deployment on three servers takes some 50. */
const MOST_STEPS = 3_000;

/** A step that a budget allows. */
function spend(
  state: FleetState,
  what: keyof FleetBudgets,
  step: string,
  next: () => FleetWorld,
): readonly NextState[] {
  if (state.left[what] === 0) return [];
  const world = next();
  const left = { ...state.left, [what]: state.left[what] - 1 };
  return world === state.world ? [] : [[step, { ...state, world, left }]];
}

/** The world after a step that can repeat without effect; the same world if it had none. */
function changedBy(before: FleetWorld, after: FleetWorld): FleetWorld {
  return after !== before && keyOfFleet(after) === keyOfFleet(before) ? before : after;
}

/** Time passes until an alarm that changes more than when a message is sent again. */
function jump(world: FleetWorld): FleetWorld {
  let next = world;
  for (let times = 0; times < 200; times += 1) {
    const waited = untilAlarm(next);
    if (waited === next) return next;
    const away = idsIn(world).filter((id) => !isReached(serverOf(world, id)));
    const told = away.reduce((one, id) => tell(one, id), waited);
    if (idsIn(world).some((id) => tell(told, id) !== told)) return told;
    if (keyOfFleet(told, { withTimes: false }) !== keyOfFleet(world, { withTimes: false })) return told;
    next = told;
  }
  throw new Error("time passes, and nothing happens");
}

/** Whether no further step can occur without a client's request or a fault. */
function isQuiet(world: FleetWorld): boolean {
  if (nextDeadline(world.lane) !== null) return false;
  for (const _ of steps(world)) return false;
  for (const _ of returns(world)) return false;
  return true;
}

/** Lets everything happen that happens by itself on a network that works. @throws if it does not end */
export function settle(world: FleetWorld): FleetWorld {
  return follow(world, (next) => [...steps(next), ...returns(next)]);
}

/** Lets everything happen that happens by itself, until a world is reached. Servers that are away stay so. */
export function runUntil(world: FleetWorld, isDone: (world: FleetWorld) => boolean): FleetWorld {
  return follow(world, (next) => [...steps(next)], isDone);
}

function follow(
  world: FleetWorld,
  stepsOf: (world: FleetWorld) => readonly NextWorld[],
  isDone: (world: FleetWorld) => boolean = () => false,
): FleetWorld {
  let next = world;
  for (let rounds = 0; rounds < MOST_STEPS; rounds += 1) {
    if (isDone(next)) return next;
    const after = stepsOf(next)[0]?.[1] ?? jump(next);
    if (after === next) return next;
    next = after;
  }
  throw new Error("a world does not come to rest");
}

/** The name of a server in the steps: a, b, c. */
function nameOf(world: FleetWorld, id: ServerId): string {
  return "abcdef"[idsIn(world).indexOf(id)] ?? "?";
}
