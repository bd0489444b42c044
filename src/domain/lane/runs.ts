import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { ID_ALPHABET, RunId, type ServerId } from "#contract/ids.ts";
import {
  activeOf,
  isIn,
  type Lane,
  type LaneDeployment,
  liveOf,
  type Named,
  type Plan,
  replaceDeployment,
  type Run,
  type RunState,
  type Served,
} from "#domain/lane/lane.ts";

export type RunIn<Name extends RunState["name"]> = Run & { state: Extract<RunState, { name: Name }> };

/** Whether a run is in one of the states. Narrows the type of its state. */
export function isRunIn<Name extends RunState["name"]>(
  run: Run,
  ...names: readonly Name[]
): run is RunIn<Name> {
  return names.some((name) => name === run.state.name);
}

/** Whether the run has not ended. */
export function isUnended(run: Run): run is RunIn<"waiting" | "offered" | "running"> {
  return isRunIn(run, "waiting", "offered", "running");
}

/** Whether the agent asks for the permit and can get it. */
export function awaitsPermit(run: Run): run is RunIn<"running"> {
  return isRunIn(run, "running") && run.state.ready && !run.state.permitted && run.state.ending === null;
}

/** A deployment that servers carry out: the active one, or the live one if servers are behind. */
export type Carried = Named<"active" | "live">;

/** The active and the live deployment. */
function carried(lane: Lane): Carried[] {
  return [activeOf(lane) ?? [], liveOf(lane) ?? []].flat();
}

/** The runs of a deployment that are not only a record. */
export function runsOf({ state }: Carried): readonly Run[] {
  return state.name === "active" ? state.runs : (state.behind ?? []).map(({ run }) => run);
}

/** The runs of the active deployment, and of servers that are behind the live one. */
export function currentRuns(lane: Lane): readonly Run[] {
  return carried(lane).flatMap(runsOf);
}

/** The deployment of a current run; null: there is no such run. */
export function carriedWith(lane: Lane, id: RunId): Carried | null {
  return carried(lane).find((one) => runsOf(one).some((run) => run.id === id)) ?? null;
}

/** The run with its permit. */
export function withPermit(run: RunIn<"running">): RunIn<"running"> {
  return { ...run, state: { ...run.state, permitted: true } };
}

/** The newest current run on a server; null: it has none. */
export function runOn(lane: Lane, serverId: ServerId): Run | null {
  return currentRuns(lane).findLast((run) => run.serverId === serverId) ?? null;
}

/** The active deployment with a changed run. */
export function withRun(deployment: Named<"active">, run: Run): Named<"active"> {
  const runs = deployment.state.runs.map((one) => (one.id === run.id ? run : one));
  return { ...deployment, state: { ...deployment.state, runs } };
}

/** As `withRun`, also of a server that is behind. */
export function withCurrentRun(deployment: Carried, run: Run): Carried {
  const { state } = deployment;
  if (state.name === "active") return withRun({ ...deployment, state }, run);
  const behind = (state.behind ?? []).map((one) => (one.run.id === run.id ? { ...one, run } : one));
  return { ...deployment, state: { ...state, behind } };
}

/** Whether it is decided that an active deployment does not go live, as far as that can be seen: a run is told to stop. */
export function isEnding({ state: { verdict, runs } }: Named<"active">): boolean {
  return verdict !== null || runs.some((run) => isRunIn(run, "running") && run.state.ending !== null);
}

/** The runs that deploy, without the runs that go back, and without a server that only builds for the others. */
export function deploying({ state }: Named<"active">): readonly Run[] {
  return state.runs.filter(({ goesBackTo, builds }) => goesBackTo === null && builds !== "only");
}

/** Whether the runs of a deployment are on several servers, as far as its record tells them apart. */
export function hasSeveral({ plan, runs }: Named<"active">["state"]): boolean {
  return plan.fleet !== undefined || runs.length > 1;
}

/**
 * The run that runs the release command, of the project or of its repository: the first that was not left out. It gets its
 * order before all others (`offerRest`). null: none does, because the code was live before.
 */
export function releaserOf(active: Named<"active">): Run | null {
  if (active.kind !== "deploy") return null;
  // A server that builds for the others had its order before, without the command unless it is the first.
  const can = deploying(active).filter((run, at) => at === 0 || run.builds === undefined);
  return can.find((run) => !isRunIn(run, "skipped")) ?? null;
}

/** A run that has broken. @param isReported whether the agent has reported the failure, and the lane has not decided it */
export function broken(
  run: RunIn<"offered" | "running">,
  failure: DeploymentFailure,
  { isReported }: { readonly isReported: boolean },
): RunIn<"broken"> {
  const isRunning = isRunIn(run, "running");
  const startedAt = isRunning ? run.state.startedAt : null;
  const wasPermitted = isRunning && run.state.permitted;
  return { ...run, state: { name: "broken", startedAt, wasPermitted, failure, isReported } };
}

/** A run that has ended as it was told to. @param otherwise how it has ended if it was not told to */
export function endRun(run: RunIn<"running">, otherwise: DeploymentFailure | null = null): Run {
  const { ending, startedAt } = run.state;
  const failure = ending?.type === "fail" ? ending.failure : otherwise;
  if (ending?.type === "cancel" || ending?.type === "stop" || failure === null)
    return { ...run, state: { name: "stopped", startedAt } };
  return broken(run, failure, { isReported: false });
}

/** Replaces a current run. */
export function replaceRun(lane: Lane, run: Run): Lane {
  const deployment = carriedWith(lane, run.id);
  return deployment === null ? lane : replaceDeployment(lane, withCurrentRun(deployment, run));
}

/** The id of a further run of a deployment: the id of its first run plus a number. Deterministic, as decisions are. */
export function nthRunId(first: RunId, nth: number): RunId {
  let carry = nth;
  const digits = first
    .slice("run_".length)
    .split("")
    .toReversed()
    .map((digit) => {
      const sum = ID_ALPHABET.indexOf(digit) + carry;
      carry = Math.floor(sum / ID_ALPHABET.length);
      return ID_ALPHABET[sum % ID_ALPHABET.length];
    });
  return RunId.parse(`run_${digits.toReversed().join("")}`);
}

/** When the first server began; null: none has. In Unix milliseconds. */
export function startOf(deployment: LaneDeployment): number | null {
  if (!isIn(deployment, "active")) return null;
  const starts = deployment.state.runs.flatMap(({ state }) =>
    "startedAt" in state ? (state.startedAt ?? []) : [],
  );
  return starts.length === 0 ? null : Math.min(...starts);
}

/** The state of a run whose order is to be sent. */
export function offered(plan: Plan, now: number): RunIn<"offered">["state"] {
  const deadlineAt = now + plan.timeouts.queue_seconds * 1000;
  return { name: "offered", deadlineAt, lastSend: null, permit: "unsent" };
}

/** How many of the servers of a deployment have switched, as a sentence without its end. */
export function switchedText(active: Named<"active">): string {
  const runs = deploying(active);
  const count = runs.filter((run) => isRunIn(run, "switched")).length;
  return `${count} of ${runs.length} servers ${count === 1 ? "has" : "have"} switched`;
}

/** The runs with the time of their end. @param runs of a deployment to several servers */
export function stamped(runs: readonly Run[], now: number): Run[] {
  return runs.map((run) => (isUnended(run) || run.endedAt !== undefined ? run : { ...run, endedAt: now }));
}

/** What a server serves after its run; empty: it did not switch. */
export function servedBy({ serverId, state }: Run): Served[] {
  if (state.name !== "switched") return [];
  const { release, releaseKept, evidence } = state;
  return [{ serverId, release, releaseKept, evidence }];
}
