import type { ProjectReport, ToAgent } from "#contract/agent-protocol.ts";
import type { Rollout } from "#contract/endpoints/projects/servers.ts";
import { CommitSha } from "#contract/git-names.ts";
import { type DeploymentId, type RunId, ServerId } from "#contract/ids.ts";
import { checkServing } from "#domain/lane/check-serving.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { canaryDeadline } from "#domain/lane/canary.ts";
import { decideApprove } from "#domain/lane/decide-approve.ts";
import { decideCancel } from "#domain/lane/decide-cancel.ts";
import { decideDeadlines } from "#domain/lane/decide-deadlines.ts";
import { decideProjectRemoved } from "#domain/lane/decide-project-removed.ts";
import { decideRunEvents } from "#domain/lane/decide-run-events.ts";
import { activeOf, emptyLane, type Lane, type Plan, type Run } from "#domain/lane/lane.ts";
import {
  noteRemovalSent,
  noteSent,
  noteUndelivered,
  pendingMessages,
  pendingRemovals,
} from "#domain/lane/pending-messages.ts";
import { reconcile } from "#domain/lane/reconcile.ts";
import { unneededBuilds, withoutStoredBuild } from "#domain/lane/stored-builds.ts";
import { carriedWith, currentRuns, isRunIn } from "#domain/lane/runs.ts";
import { APPROVER, CI, PROJECT } from "../lane.ts";
import { defaultPlan } from "../plan.ts";
import {
  crash,
  eventsToPost,
  forgetRuns,
  type ModelAgent,
  type ModelRun,
  mustAnnounce,
  receiveAnswer,
  receiveMessage,
  releaseOf,
  reportOf,
  startedAgent,
  work,
  workingRun,
} from "./model-agent.ts";

/** `cut`: nothing gets through. `no socket`: the agent reports by HTTP, and no message reaches it until it connects. */
export type Network = "works" | "no socket" | "cut";

/** What happens to a message: `lost`: the link does not notice that its socket is dead. */
export type Sending = "once" | "twice" | "lost";

/** A restart of an agent: what it still knows of its runs, and whether its server has its files. */
export type Restart = "none" | "keeps its runs" | "loses its runs" | "loses its files";

/** One server, with what reaches it. `wrong`: it serves a wrong release, and is corrected when its run has ended. */
export type ModelServer = {
  readonly agent: ModelAgent;
  readonly network: Network;
  readonly wrong: ProjectReport | null;
};

/**
 * A server has begun to serve a release. `commit`: of the release; null: from before the history began. `goesBack`: with what
 * was live before. Without its files, it builds that in the folder of the deployment that has failed, until it catches up.
 */
export type Switch = {
  readonly runId: RunId;
  readonly serverId: ServerId;
  readonly deploymentId: DeploymentId;
  readonly release: number;
  readonly commit: string | null;
  readonly goesBack: boolean;
};

/**
 * The real lane of a project on several servers, a model of each agent, and a network that loses, repeats and cuts. What
 * has happened is kept for the invariants. Times are Unix milliseconds.
 */
export type FleetWorld = {
  readonly lane: Lane;
  readonly servers: Readonly<Record<ServerId, ModelServer>>;
  readonly now: number;
  /** The commit of the branch. */
  readonly tip: string;
  readonly permits: readonly RunId[];
  readonly switches: readonly Switch[];
  /** The release commands that have run, with their deployment. */
  readonly released: readonly { readonly deploymentId: DeploymentId; readonly isGood: boolean }[];
  /** The commit of each release that a server has built, by server and release. */
  readonly built: Readonly<Record<string, string>>;
  /** The deployments that were canceled before any server had a permit. */
  readonly withdrawn: readonly DeploymentId[];
  /** The deployments that somebody has canceled. */
  readonly canceled: readonly DeploymentId[];
  /** The deployments whose first servers somebody has approved. */
  readonly approved: readonly DeploymentId[];
};

/** The plan of a project on these servers. @param builder the server that builds for all; undefined: each for itself */
export function planOn(servers: readonly ServerId[], rollout: Rollout, builder?: ServerId): Plan {
  const built = builder === undefined ? {} : { builder };
  if (servers.length === 1) return { ...defaultPlan, release_command: "migrate", ...built };
  const fleet = { servers: servers.map((id) => ({ id, processes: null, cron: false })), rollout };
  return { ...defaultPlan, release_command: "migrate", fleet, ...built };
}

/** A world in which nothing was deployed. */
export function newFleet(servers: readonly ServerId[]): FleetWorld {
  const agent = startedAgent({ project_id: PROJECT, url: null });
  const none = {
    permits: [],
    switches: [],
    released: [],
    built: {},
    withdrawn: [],
    canceled: [],
    approved: [],
  };
  const empty: FleetWorld = { lane: emptyLane, servers: {}, now: 0, tip: commitOf(1), ...none };
  const server: ModelServer = { agent, network: "works", wrong: null };
  return servers.reduce((world, id) => ({ ...world, servers: { ...world.servers, [id]: server } }), empty);
}

/** The nth commit of the branch. */
export function commitOf(nth: number): string {
  return CommitSha.parse(nth.toString(16).padStart(40, "0"));
}

export function serverOf(world: FleetWorld, id: ServerId): ModelServer {
  const server = world.servers[id];
  if (server === undefined) throw new Error("no such server");
  return server;
}

export function withServer(world: FleetWorld, id: ServerId, changes: Partial<ModelServer>): FleetWorld {
  return { ...world, servers: { ...world.servers, [id]: { ...serverOf(world, id), ...changes } } };
}

export function idsIn({ servers }: Pick<FleetWorld, "servers">): readonly ServerId[] {
  return Object.keys(servers).map((id) => ServerId.parse(id));
}

/** Whether messages reach the server. */
export function isReached({ agent, network }: ModelServer): boolean {
  return agent.isUp && network === "works";
}

/** The world with a changed agent. What no result reports, the agent reports by itself, or else with its next hello. */
function changed(world: FleetWorld, id: ServerId, agent: ModelAgent): FleetWorld {
  const before = serverOf(world, id);
  const next = withServer(world, id, { agent });
  if (!mustAnnounce(before.agent, agent) || !isReached(before)) return next;
  return compare(next, id, reportOf(agent));
}

/** The lane sends a server the message of a run that is due. Without such a message, the world stays the same. */
export function tell(world: FleetWorld, id: ServerId, how: Sending = "once"): FleetWorld {
  const due = pendingMessages(world.lane, PROJECT, world.now).find(({ serverId }) => serverId === id);
  if (due === undefined) return world;
  const { runId, message } = due;
  const sent = { ...world, lane: noteSent(world.lane, runId, world.now) };
  if (!isReached(serverOf(world, id))) return { ...sent, lane: noteUndelivered(sent.lane, runId, world.now) };
  if (how === "lost") return sent;
  const isPermitted = message.type === "run" && message.order.preapproved;
  const told = isPermitted ? permitted(sent, runId) : sent;
  const once = receive(told, id, message);
  return how === "twice" ? receive(once, id, message) : once;
}

function receive(world: FleetWorld, id: ServerId, message: ToAgent): FleetWorld {
  return changed(world, id, receiveMessage(serverOf(world, id).agent, message, world.tip));
}

function permitted(world: FleetWorld, runId: RunId): FleetWorld {
  return world.permits.includes(runId) ? world : { ...world, permits: [...world.permits, runId] };
}

/** The lane asks a server to remove the project, and the agent reports that it has. The same world: neither is due. */
export function remove(world: FleetWorld, id: ServerId): FleetWorld {
  const due = pendingRemovals(world.lane, PROJECT, world.now).find(({ serverId }) => serverId === id);
  if (due !== undefined) {
    const isThere = isReached(serverOf(world, id));
    const sent = { ...world, lane: noteRemovalSent(world.lane, id, !isThere, world.now) };
    return isThere ? receive(sent, id, due.message) : sent;
  }
  const server = serverOf(world, id);
  const { agent } = server;
  if (agent.removal?.isDone !== true || !isReached(server)) return world;
  const { lane } = decideProjectRemoved(world.lane, { serverId: id, purge: agent.removal.purge });
  return withServer({ ...world, lane }, id, { agent: { ...agent, removal: null } });
}

/** The control plane removes the builds that no deployment needs. */
export function removeBuilds(world: FleetWorld): FleetWorld {
  return { ...world, lane: unneededBuilds(world.lane).reduce(withoutStoredBuild, world.lane) };
}

/** The run of an agent takes its next step. The same world: none can. */
export function act(world: FleetWorld, id: ServerId, goesWell: boolean): FleetWorld {
  const { agent } = serverOf(world, id);
  const run = agent.isUp ? workingRun(agent) : null;
  if (run === null) return world;
  const next = work(agent, run, goesWell);
  const after = next.runs.find(({ runId }) => runId === run.runId) ?? null;
  return changed(noteStep(world, id, run, after, goesWell), id, next);
}

/** Keeps what a step of a run has done. */
function noteStep(
  world: FleetWorld,
  serverId: ServerId,
  run: ModelRun,
  after: ModelRun | null,
  isGood: boolean,
): FleetWorld {
  const { runId, deploymentId, phase } = run;
  let next = world;
  if (phase === "preparing" && isGood && run.reuse === null)
    next = { ...next, built: { ...next.built, [`${serverId} ${run.version}`]: run.commit } };
  const isAlone = phase === "permitted" && run.runsRelease === null && run.reuse === null;
  if (phase === "releasing" || isAlone)
    next = { ...next, released: [...next.released, { deploymentId, isGood }] };
  if (phase === "switched" || after?.phase !== "switched") return next;
  const release = releaseOf(run);
  const goesBack = currentRuns(world.lane).some(({ id, goesBackTo }) => id === runId && goesBackTo !== null);
  const commit = next.built[`${serverId} ${release}`] ?? null;
  return {
    ...next,
    switches: [...next.switches, { runId, serverId, deploymentId, release, commit, goesBack }],
  };
}

/** An agent sends the events of a run, or asks for its permit. The same world: it has nothing to send. */
export function post(world: FleetWorld, id: ServerId, runId: RunId, isHeard: boolean): FleetWorld {
  const { agent, network } = serverOf(world, id);
  const run = agent.runs.find((one) => one.runId === runId);
  if (run === undefined || !agent.isUp || network === "cut") return world;
  const events = eventsToPost({ ...run, awaitsAnswer: false });
  if (events === null) return world;
  const { deploymentId } = run;
  const decided = decideRunEvents(world.lane, { deploymentId, runId, serverId: id, events }, world.now);
  const { acked_seq: ackedSeq, instruction } = decided.value;
  const posted = { ...world, lane: decided.lane };
  const allowed = instruction === "activate" ? permitted(posted, runId) : posted;
  const answered = isHeard
    ? changed(allowed, id, receiveAnswer(agent, runId, ackedSeq, instruction))
    : allowed;
  const last = events.at(-1);
  return last?.type === "result" ? noteWrong(answered, id, last.project) : answered;
}

/** A result can leave the server with another release than the lane expects. */
function noteWrong(world: FleetWorld, id: ServerId, report: ProjectReport): FleetWorld {
  const { kind } = checkServing(world.lane, { serverId: id, report });
  return withServer(world, id, { wrong: kind === "right" ? null : report });
}

/** The lane checks what a server serves, and corrects it now or when its run has ended. */
function compare(world: FleetWorld, id: ServerId, report: ProjectReport): FleetWorld {
  const serving = checkServing(world.lane, { serverId: id, report });
  const noted = withServer(world, id, { wrong: serving.kind === "later" ? report : null });
  if (serving.kind !== "correct_release" || !isReached(serverOf(world, id))) return noted;
  return receive(noted, id, { type: "correct_release", project_id: PROJECT, release: serving.release });
}

/** The run of a server has ended, and the server still serves a wrong release. The same world: not so. */
export function correct(world: FleetWorld, id: ServerId): FleetWorld {
  const { wrong } = serverOf(world, id);
  if (wrong === null) return world;
  const { kind } = checkServing(world.lane, { serverId: id, report: wrong });
  return kind === "later" ? world : compare(world, id, wrong);
}

/** The connection of a server breaks. */
export function cut(world: FleetWorld, id: ServerId, network: Exclude<Network, "works">): FleetWorld {
  return withServer(world, id, { network });
}

/** An agent is killed. It starts again with `connect`. */
export function kill(world: FleetWorld, id: ServerId, restart: Exclude<Restart, "none">): FleetWorld {
  const dead = crash(serverOf(world, id).agent);
  const left = restart === "keeps its runs" ? dead : forgetRuns(dead);
  const empty = restart === "loses its files" ? { ...left, current: null, releases: [] } : left;
  return withServer(world, id, { agent: empty });
}

/** An agent that runs, or starts again, connects: its hello. */
export function connect(world: FleetWorld, id: ServerId): FleetWorld {
  const agent = { ...serverOf(world, id).agent, isUp: true };
  const there = withServer(world, id, { agent, network: "works" });
  const runIds = agent.runs.map(({ runId }) => runId);
  const report = reportOf(agent);
  const { lane, value } = reconcile(there.lane, { serverId: id, report, runIds }, world.now);
  const { serving } = value;
  const reconciled = { ...there, lane };
  return serving === null ? reconciled : compare(reconciled, id, report);
}

/** Time passes. @param areHeard whether the agents that are reached show that their runs continue, as each few seconds */
export function wait(
  world: FleetWorld,
  ms: number,
  { areHeard }: { readonly areHeard: boolean },
): FleetWorld {
  const later = { ...world, now: world.now + ms };
  const lane = areHeard ? withSigns(later) : later.lane;
  return { ...later, lane: decideDeadlines(lane, later.now).lane };
}

function withSigns({ lane, servers, now }: FleetWorld): Lane {
  return currentRuns(lane).reduce((next, { id: runId, serverId, state }) => {
    const server = servers[serverId];
    const deploymentId = carriedWith(next, runId)?.id;
    const isThere = server?.agent.isUp === true && server.network !== "cut";
    const isKnown = server?.agent.runs.some((one) => one.runId === runId) === true;
    if (!isThere || !isKnown || state.name !== "running" || deploymentId === undefined) return next;
    return decideRunEvents(next, { deploymentId, runId, serverId, events: [] }, now).lane;
  }, lane);
}

/** Time passes until the lane's next alarm. The same world: it waits for nothing. */
export function untilAlarm(world: FleetWorld): FleetWorld {
  const at = nextDeadline(world.lane);
  return at === null ? world : wait(world, Math.max(1, at - world.now), { areHeard: true });
}

/** Somebody cancels the active deployment. The same world: it is refused, or is canceled already. */
export function cancelActive(world: FleetWorld): FleetWorld {
  const active = activeOf(world.lane);
  const decided = active === null ? null : decideCancel(world.lane, active.id, CI, world.now);
  if (active === null || decided?.ok !== true || world.canceled.includes(active.id)) return world;
  const isEarly = !active.state.runs.some(hadPermit);
  const withdrawn = isEarly ? [...world.withdrawn, active.id] : world.withdrawn;
  return { ...world, lane: decided.value.lane, withdrawn, canceled: [...world.canceled, active.id] };
}

/** Somebody approves what the first servers of the active deployment serve. The same world: it is refused. */
export function approveActive(world: FleetWorld): FleetWorld {
  const active = activeOf(world.lane);
  if (active === null) return world;
  const until = canaryDeadline(active);
  const approval = { id: active.id, actor: APPROVER, person: null, commit: null, until };
  const decided = decideApprove(world.lane, approval, world.now);
  if (!decided.ok || decided.value.lane === world.lane) return world;
  return { ...world, lane: decided.value.lane, approved: [...world.approved, active.id] };
}

/** Whether a run had its permit. */
export function hadPermit(run: Run): boolean {
  if (isRunIn(run, "running")) return run.state.permitted;
  return isRunIn(run, "switched") || (isRunIn(run, "broken") && run.state.wasPermitted);
}

/** The branch gets another commit. */
export function push(world: FleetWorld, nth: number): FleetWorld {
  return { ...world, tip: commitOf(nth) };
}
