import * as z from "zod/mini";

import { pick } from "#contract/lib/pick.ts";
import { storedAs } from "#contract/stored.ts";
import { LaneDeployment, type Named, type Run, Served, states } from "#domain/lane/lane.ts";
import { isRunIn } from "#domain/lane/runs.ts";

const { Queued, Active, Live, Superseded, Failed, Canceled, Offered, Running } = states;
const { runs, behind, catchUps } = Live.shape;
const withPlan = pick(Active.shape, ["plan"]);
const onceLive = {
  ...pick(Live.shape, ["startedAt", "finishedAt", "plan"]),
  // Of the first server.
  ...pick(Served.shape, ["release", "releaseKept", "evidence"]),
  /** Absent: only the server of the project served it. */
  served: z.optional(z.array(Served)),
};

/**
 * A deployment as a lane stores it. On one server it has the form that it had before there could be several, so that records
 * of earlier versions are read, and an earlier version reads these.
 */
const StoredDeployment = z.strictObject({
  ...LaneDeployment.shape,
  state: z.discriminatedUnion("name", [
    Queued,
    Active,
    z.strictObject({ ...Offered.shape, ...withPlan }),
    z.strictObject({ ...z.omit(Running, { ready: true }).shape, ...withPlan }),
    z.strictObject({ name: Live.shape.name, ...onceLive, runs, behind, catchUps }),
    z.strictObject({ name: Superseded.shape.name, ...onceLive }),
    Failed,
    Canceled,
  ]),
});
export type StoredDeployment = z.infer<typeof StoredDeployment>;

export const storedDeployment = storedAs(StoredDeployment);

/** The form in which a deployment is stored. */
export function toStored(deployment: LaneDeployment): StoredDeployment {
  const { state } = deployment;
  switch (state.name) {
    case "active":
      return { ...deployment, state: storedActive(state) };
    case "live":
    case "superseded": {
      const { served, ...wasLive } = state;
      const [first] = served;
      if (first === undefined) throw new Error(`${deployment.id} was live on no server`);
      const { serverId, ...there } = first;
      const isAlone = served.length === 1 && serverId === deployment.serverId;
      return { ...deployment, state: { ...wasLive, ...there, ...(isAlone ? {} : { served }) } };
    }
    case "queued":
    case "failed":
    case "canceled":
      return { ...deployment, state };
  }
}

function storedActive(state: Named<"active">["state"]): StoredDeployment["state"] {
  const [run, ...others] = state.runs;
  if (run === undefined || others.length > 0 || state.plan.fleet !== undefined) return state;
  if (isRunIn(run, "offered")) return { ...run.state, plan: state.plan };
  if (!isRunIn(run, "running")) return state;
  const { ready: _, ...alone } = run.state;
  return { ...alone, plan: state.plan };
}

/** The deployment of its stored form. */
export function fromStored(stored: StoredDeployment): LaneDeployment {
  const { state } = stored;
  switch (state.name) {
    case "offered":
    case "running":
      return { ...stored, state: activeAlone(stored, state) };
    case "live":
    case "superseded": {
      const { release, releaseKept, evidence, served, ...wasLive } = state;
      const first = { serverId: stored.serverId, release, releaseKept, evidence };
      return { ...stored, state: { ...wasLive, served: served ?? [first] } };
    }
    case "queued":
    case "active":
    case "failed":
    case "canceled":
      return { ...stored, state };
  }
}

function activeAlone(
  { runId: id, serverId }: StoredDeployment,
  { plan, ...state }: Extract<StoredDeployment["state"], { name: "offered" | "running" }>,
): Named<"active">["state"] {
  const isRunning = state.name === "running";
  const run: Run = {
    id,
    serverId,
    goesBackTo: null,
    state: isRunning ? { ...state, ready: state.permitted } : state,
  };
  const ending = isRunning ? state.ending : null;
  return {
    ...{ name: "active", plan, runs: [run], quota: 1, pauseUntil: null },
    opened: isRunning && state.permitted,
    verdict: ending?.type === "cancel" ? ending : null,
  };
}
