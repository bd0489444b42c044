import * as z from "zod/mini";

import { storedAs } from "#contract/stored.ts";
import { LaneDeployment, type Named, type Run, Served, states } from "#domain/lane/lane.ts";
import { isRunIn } from "#domain/lane/runs.ts";

const { Queued, Active, Live, Superseded, Failed, Canceled, Offered, Running } = states;
const {
  runs: _,
  opened: _opened,
  quota: _quota,
  pauseUntil: _pause,
  verdict: _verdict,
  name: _name,
  ...plan
} = Active.shape;
const { ready: _ready, ...running } = Running.shape;
const { serverId: _serverId, ...onServer } = Served.shape;
const { served: _served, ...wasLive } = Live.shape;
/** `served`: of several servers. The other fields are those of the first one. */
const alone = { ...onServer, served: z.optional(z.array(Served)) };

/**
 * A deployment as a lane stores it. On one server it has the form that it had before there could be several, so that records
 * of earlier versions are read, and an earlier version reads these.
 */
const StoredDeployment = z.strictObject({
  ...LaneDeployment.shape,
  state: z.discriminatedUnion("name", [
    Queued,
    Active,
    z.strictObject({ ...Offered.shape, ...plan }),
    z.strictObject({ ...running, ...plan }),
    z.strictObject({ ...wasLive, ...alone }),
    z.strictObject({ ...wasLive, name: Superseded.shape.name, ...alone }),
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
  const { ready: _ready, ...running } = run.state;
  return { ...running, plan: state.plan };
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
  const run: Run = { id, serverId, state: isRunning ? { ...state, ready: state.permitted } : state };
  const ending = isRunning ? state.ending : null;
  return {
    ...{ name: "active", plan, runs: [run], quota: 1, pauseUntil: null },
    opened: isRunning && state.permitted,
    verdict: ending?.type === "cancel" ? ending : null,
  };
}
