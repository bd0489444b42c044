import type { ServerId } from "#contract/ids.ts";
import type { Decision } from "#domain/lane/decision.ts";
import type { PlaceEffect } from "#domain/lane/deployment-events.ts";
import { toStop } from "#domain/lane/deadlines.ts";
import { type Fleet, idsOf, nameIn } from "#domain/lane/fleet.ts";
import {
  type Behind,
  type Lane,
  liveOf,
  type Named,
  type Plan,
  replaceDeployment,
  type Run,
} from "#domain/lane/lane.ts";
import { servedOn } from "#domain/lane/run-order.ts";
import {
  awaitsPermit,
  isRunIn,
  nthRunId,
  offered,
  type RunIn,
  servedBy,
  stamped,
  withPermit,
} from "#domain/lane/runs.ts";

/** How often a server tries to get the live deployment, until it connects again. */
const MAX_TRIES = 2;

/** The ids of runs of the deployment itself come before. A deployment has at most two on each server. */
const FIRST_ID = 100;

/** The live deployment of a project with several servers. */
type Live = Named<"live"> & { readonly state: { readonly plan: Plan & { readonly fleet: Fleet } } };

/** The live deployment if servers can catch up with it: the settings with which it is live are known, and it has several. */
function liveOnSeveral(lane: Lane): Live | null {
  const live = liveOf(lane);
  const plan = live?.state.plan ?? null;
  if (live === null || plan?.fleet === undefined || lane.deletedAt !== null) return null;
  return { ...live, state: { ...live.state, plan: { ...plan, fleet: plan.fleet } } };
}

/**
 * Applies a rule about servers that do not serve the live deployment: they were left out, they have failed, or their release is
 * gone. Such a server gets it by a run outside the version numbers. Call it while no deployment is active.
 * @returns null if no rule applies
 */
export function catchUp(lane: Lane, now: number): Decision | null {
  const live = liveOnSeveral(lane);
  if (live === null) return null;
  const behind = live.state.behind ?? [];
  for (const one of behind) {
    const next = afterRun(live, one, now);
    if (next === null) continue;
    const hasCaughtUp = isRunIn(one.run, "switched");
    const effects = hasCaughtUp ? [placeEvent(live, one.run.serverId, "server.caught_up")] : [];
    return { lane: replaceDeployment(lane, next), effects };
  }
  const missing = idsOf(live.state.plan.fleet).find((id) => lacksRelease(live, id));
  if (missing === undefined) return null;
  const { id, catchUps } = nextId(live);
  const run: Run = {
    id,
    serverId: missing,
    goesBackTo: null,
    catchesUp: true,
    state: offered(live.state.plan, now),
  };
  const next = { ...live, state: { ...live.state, catchUps, behind: [...behind, { run, tries: 0 }] } };
  return { lane: replaceDeployment(lane, next), effects: [placeEvent(live, missing, "server.behind")] };
}

function placeEvent({ id, version, state: { plan } }: Live, serverId: ServerId, event: PlaceEffect["event"]) {
  const server = { id: serverId, name: nameIn(plan.fleet, serverId) };
  return { type: "server_event", event, live: { id, version }, projectName: plan.name, server } as const;
}

/** Lets a server that waits to catch up try again, because it has connected. */
export function retryCatchUp(lane: Lane, serverId: ServerId, now: number): Lane {
  const live = liveOnSeveral(lane);
  const one = live?.state.behind?.find(({ run }) => run.serverId === serverId);
  if (live === null || one === undefined || !isRunIn(one.run, "waiting")) return lane;
  return replaceDeployment(
    lane,
    withBehind(live, one, { run: { ...one.run, state: offered(live.state.plan, now) }, tries: 0 }),
  );
}

/**
 * Makes room for the next deployment. A server that is switching finishes first, others stop.
 * @returns null if nothing is in its way; otherwise the lane to wait in
 */
export function makeRoom(lane: Lane, now: number): Lane | null {
  const live = liveOf(lane);
  const running = (live?.state.behind ?? []).filter(({ run }) => isRunIn(run, "running"));
  if (live === null || running.length === 0) return null;
  const next = running.reduce((before, one) => withBehind(before, one, stopped(one, now)), live);
  return replaceDeployment(lane, next);
}

function stopped({ run, tries }: Behind, now: number): Behind {
  if (!isRunIn(run, "running") || run.state.permitted || run.state.ending !== null) return { run, tries };
  const stopping = toStop(run.state, { type: "stop" }, now);
  return { run: { ...run, state: { ...run.state, ...stopping } }, tries };
}

/** The live deployment after the next step of a run; null: it continues. */
function afterRun(live: Live, one: Behind, now: number): Named<"live"> | null {
  const { run, tries } = one;
  if (awaitsPermit(run)) return withBehind(live, one, { run: withPermit(run), tries });
  if (isRunIn(run, "switched")) return caughtUp(live, one, run, now);
  if (isRunIn(run, "offered") && run.state.lastSend?.undelivered === true)
    return again(live, one, now, { tries, isNow: false });
  // The deployment for which it has stopped may have been canceled meanwhile.
  if (isRunIn(run, "stopped")) return again(live, one, now, { tries, isNow: true });
  if (!isRunIn(run, "broken")) return null;
  const isNow = tries + 1 < MAX_TRIES && run.state.failure.code !== "server_offline";
  return again(live, one, now, { tries: tries + 1, isNow });
}

/** `isNow`: false: when the server connects. */
type Again = { readonly tries: number; readonly isNow: boolean };

/** The server gets another run. */
function again(live: Live, one: Behind, now: number, { tries, isNow }: Again): Named<"live"> {
  const { id, catchUps } = nextId(live);
  const state = isNow ? offered(live.state.plan, now) : ({ name: "waiting" } as const);
  const next = withBehind(live, one, { run: { ...one.run, id, state }, tries });
  // Why the last one has failed stays in the record.
  const failed = isRunIn(one.run, "broken") ? stamped([one.run], now) : [];
  return { ...next, state: { ...next.state, catchUps, runs: [...othersOf(live, one.run), ...failed] } };
}

function caughtUp(live: Live, one: Behind, run: RunIn<"switched">, now: number): Named<"live"> {
  const others = live.state.served.filter(({ serverId }) => serverId !== run.serverId);
  const next = withBehind(live, one, null);
  return {
    ...next,
    state: {
      ...next.state,
      served: [...others, ...servedBy(run)],
      runs: [...othersOf(live, run), ...stamped([run], now)],
    },
  };
}

/** The runs of the record without the earlier ones in which the same server has caught up. */
function othersOf({ state }: Live, { serverId }: Run): Run[] {
  return (state.runs ?? []).filter((run) => run.serverId !== serverId || run.catchesUp !== true);
}

function withBehind<Of extends Named<"live">>(live: Of, one: Behind, next: Behind | null): Of {
  const behind = (live.state.behind ?? []).flatMap((other) =>
    other.run.serverId === one.run.serverId ? (next ?? []) : other,
  );
  return { ...live, state: { ...live.state, behind } };
}

/** Whether a server should serve the live deployment, and neither does, nor has its files, nor is getting it. */
function lacksRelease(live: Live, serverId: ServerId): boolean {
  if (live.state.behind?.some(({ run }) => run.serverId === serverId) === true) return false;
  const served = servedOn(live, serverId);
  return served === null || (served.instead === undefined && !served.releaseKept);
}

function nextId({ runId, state }: Live) {
  const catchUps = (state.catchUps ?? 0) + 1;
  return { id: nthRunId(runId, FIRST_ID + catchUps), catchUps };
}
