import type { ServerId } from "#contract/ids.ts";
import { awaitedBuilder } from "#domain/lane/builders.ts";
import { nextDeadline } from "#domain/lane/deadlines.ts";
import { batchOf, firstBatchOf, idsOf, minimumOf } from "#domain/lane/fleet.ts";
import { activeOf, isIn, type Lane, liveOf, type Named } from "#domain/lane/lane.ts";
import { placementOf } from "#domain/lane/placements.ts";
import { carriedWith, currentRuns, deploying, isRunIn, isUnended } from "#domain/lane/runs.ts";
import { type FleetWorld, hadPermit, idsIn, type Switch } from "./fleet-world.ts";

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Checks what must hold after each step. @throws with the broken rule */
export function checkStep(before: FleetWorld, after: FleetWorld): void {
  for (const made of after.switches.slice(before.switches.length)) checkSwitch(after, made);
  const active = activeOf(after.lane);
  if (active !== null) checkRollout(before, after, active);
  checkReleases(after);
  checkEndings(before.lane, after.lane);
  for (const one of after.lane.deployments)
    must(
      !after.canceled.includes(one.id) || isIn(one, "active", "canceled"),
      `v${one.version} is ${one.state.name}, and somebody was told that it is canceled`,
    );
  checkForgotten(before.lane, after.lane);
  checkCancel(before, after);
  const next = nextDeadline(after.lane);
  must(active === null || (next !== null && Number.isFinite(next)), "nothing will end the active deployment");
  checkLive(before, after);
  checkCatchUps(before.lane, after.lane);
  for (const id of idsIn(after)) {
    const agent = after.servers[id]?.agent;
    const { current = null, releases = [] } = agent ?? {};
    must(
      current === null || releases.includes(current),
      `server ${id} serves ${current}, which is not whole`,
    );
    const unended = currentRuns(after.lane).filter((run) => run.serverId === id && isUnended(run));
    must(unended.length <= 1, `server ${id} has two runs that have not ended`);
  }
}

function checkSwitch(after: FleetWorld, made: Switch): void {
  const { runId, deploymentId, release, commit, goesBack } = made;
  const deployment = after.lane.deployments.find(({ id }) => id === deploymentId);
  must(after.permits.includes(runId), "a server switches without a permit");
  must(!after.withdrawn.includes(deploymentId), "a server switches to what was canceled before any permit");
  if (goesBack) return;
  if (deployment !== undefined && deployment.kind === "deploy" && release === deployment.version) {
    const isReleased = after.released.some((one) => one.deploymentId === deploymentId && one.isGood);
    must(isReleased, `a server serves ${release} before its release command has succeeded`);
    must(
      commit === null || commit === deployment.commitSha,
      `a server serves commit ${commit}, and the deployment's is ${deployment.commitSha}`,
    );
  }
  for (const other of after.switches)
    must(
      other.goesBack ||
        other.release !== release ||
        commit === null ||
        other.commit === null ||
        other.commit === commit,
      `release ${release} has two commits`,
    );
}

/** The permits of the active deployment. */
function checkRollout(before: FleetWorld, { lane, approved }: FleetWorld, active: Named<"active">): void {
  const { opened, quota, plan, runs } = active.state;
  const { fleet } = plan;
  if (fleet === undefined) return;
  const own = deploying(active);
  const builder = awaitedBuilder(active);
  const early = own.filter((run) => builder !== null && run.id !== builder.id);
  must(
    !early.some((run) => isRunIn(run, "offered", "running", "switched")),
    "a server has an order before the build that it takes",
  );
  const had = own.filter(hadPermit);
  must(had.length === 0 || opened, "a server has a permit before all were ready");
  must(had.length <= quota, "more servers have a permit than may switch by now");
  const inFlight = own.filter((run) => isRunIn(run, "running") && run.state.permitted).length;
  must(inFlight <= Math.max(firstBatchOf(fleet), batchOf(fleet)), "more servers switch than a batch");
  const needsApproval = fleet.rollout.canary?.approval === true && active.kind === "deploy";
  must(
    !needsApproval || had.length <= firstBatchOf(fleet) || approved.includes(active.id),
    "a server follows the first ones without an approval",
  );
  const there = own.filter((run) => !isRunIn(run, "skipped"));
  must(there.length >= minimumOf(fleet), "fewer servers take part than must");
  const earlier = activeOf(before.lane);
  if (opened && earlier?.id === active.id && !earlier.state.opened)
    must(
      there.every((run) => isRunIn(run, "running") && run.state.ready),
      "the first server may switch, and not all are ready",
    );
  const given = had.filter(
    ({ id }) => earlier?.state.runs.some((run) => run.id === id && hadPermit(run)) !== true,
  );
  const hasEnded = earlier?.id === active.id && earlier.state.verdict !== null;
  must(!hasEnded || given.length === 0, "a server gets its permit after the deployment has failed");
  const back = runs.filter(({ goesBackTo }) => goesBackTo !== null);
  must(back.length === 0 || active.state.verdict !== null, "a server goes back, and nothing has failed");
  must(liveOf(lane) !== null || back.length === 0, "a server goes back to nothing");
}

/** The release command runs once, and nothing undoes it. */
function checkReleases({ released }: FleetWorld): void {
  const ids = released.map(({ deploymentId }) => deploymentId);
  must(new Set(ids).size === ids.length, "the release command ran twice");
}

function checkEndings(before: Lane, after: Lane): void {
  const live = after.deployments.filter((one) => isIn(one, "live")).length;
  const active = after.deployments.filter((one) => isIn(one, "active")).length;
  must(live <= 1 && active <= 1, "two deployments are live or active");
  for (const one of before.deployments) {
    if (!isIn(one, "failed", "canceled", "superseded")) continue;
    const now = after.deployments.find(({ id }) => id === one.id);
    must(
      now?.state.name === one.state.name,
      `v${one.version} was ${one.state.name}, and is ${now?.state.name}`,
    );
  }
}

/** The lane knows of a server that is switching until it has ended: other orders wait for it. */
function checkForgotten(before: Lane, after: Lane): void {
  const recorded = after.deployments.flatMap(({ state }) => ("runs" in state ? (state.runs ?? []) : []));
  const known = new Set([...currentRuns(after), ...recorded].map(({ id }) => id));
  for (const run of currentRuns(before)) {
    const isRecorded = carriedWith(before, run.id)?.state.plan?.fleet !== undefined;
    if (isRecorded && isRunIn(run, "running") && run.state.permitted)
      must(known.has(run.id), `the lane forgets that ${run.serverId} is switching`);
  }
}

/** A cancel is accepted as long as a server has no permit. */
function checkCancel(before: FleetWorld, after: FleetWorld): void {
  if (after.canceled.length === before.canceled.length) return;
  const active = activeOf(before.lane);
  const open = active === null ? [] : deploying(active).filter((run) => isUnended(run) && !hadPermit(run));
  must(open.length > 0, "a cancel is accepted when no server could still be stopped");
}

/** What is live is served by each server that it lists, and a server serves something else only after `stop`. */
function checkLive(before: FleetWorld, { lane, switches }: FleetWorld): void {
  const live = liveOf(lane);
  if (live === null) return;
  const was = liveOf(before.lane);
  const known = was?.id === live.id ? was.state.served : [];
  must(live.state.served.length > 0, `v${live.version} is live on no server`);
  for (const served of live.state.served) {
    const { serverId, release, instead } = served;
    const earlier = known.find((one) => one.serverId === serverId && one.release === release);
    const isMade = switches.some(
      (one) => one.serverId === serverId && one.deploymentId === live.id && one.release === release,
    );
    must(earlier !== undefined || isMade, `v${live.version} is live on ${serverId}, which has not switched`);
    if (instead === undefined || earlier?.instead === instead) continue;
    const policy = activeOf(before.lane)?.state.plan.fleet?.rollout.on_failure;
    must(policy === "stop", `server ${serverId} keeps release ${instead} after ${policy}`);
  }
}

/** More runs than any history here needs: a server that tries again and again does not get what is live. */
const MANY = 20;

/** A server catches up only with what is live, while nothing else is deployed. */
function checkCatchUps(before: Lane, after: Lane): void {
  const live = liveOf(after);
  must((live?.state.catchUps ?? 0) < MANY, "a server never catches up");
  for (const { run } of live?.state.behind ?? []) {
    if (!isRunIn(run, "running") || !run.state.permitted) continue;
    const earlier = currentRuns(before).find(({ id }) => id === run.id);
    const wasGiven = earlier !== undefined && isRunIn(earlier, "running") && earlier.state.permitted;
    must(wasGiven || activeOf(after) === null, "a server catches up while another deployment is active");
  }
}

/** Checks a world at rest. @throws with the broken rule */
export function checkRest({ lane, servers }: FleetWorld): void {
  must(!lane.deployments.some((one) => isIn(one, "queued", "active")), "a deployment never ends");
  const live = liveOf(lane);
  const expected = live === null ? new Map<ServerId, number>() : expectedOf(live);
  for (const id of idsIn({ servers })) {
    const agent = servers[id]?.agent;
    if (agent === undefined) continue;
    must(agent.runs.length === 0, `server ${id} has a run that nobody waits for`);
    if (live === null) continue;
    const isMember = live.state.plan?.fleet !== undefined && idsOf(live.state.plan.fleet).includes(id);
    const serves = expected.get(id) ?? null;
    must(!isMember || serves !== null, `server ${id} is never given v${live.version}`);
    must(agent.current === serves, `server ${id} serves ${agent.current}, and not ${serves}`);
    // A server that never switched may have files. Its next hello removes them.
    if (serves !== null)
      must(placementOf(lane, id)?.state.name === "in_use", `server ${id} serves and is leaving`);
  }
}

/** What servers must serve. A project on one server does not get lost files again by itself. */
function expectedOf({ state }: Named<"live">): ReadonlyMap<ServerId, number> {
  const isAlone = state.plan?.fleet === undefined;
  const there = state.served.filter(({ releaseKept }) => releaseKept || !isAlone);
  return new Map(there.map(({ serverId, instead, release }) => [serverId, instead ?? release]));
}
