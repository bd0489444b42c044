import type { Deployment, DeploymentRun } from "#contract/endpoints/deployments/schemas.ts";
import type { LogStage } from "#contract/endpoints/logs/schemas.ts";
import type { ServerId } from "#contract/ids.ts";
import { counted } from "#contract/lib/counted.ts";
import { optionalStages, runStages, type RunStage } from "#contract/stages.ts";
import type { StageSpan } from "#dashboard/pages/deployment/log-store.ts";
import type { ShownStage, StageState } from "#dashboard/pages/deployment/stages-of.ts";
import { buildingLabels } from "#dashboard/text/labels.ts";

/** How a server stands, for the sum over all servers and for the order in which a phone shows them. */
const kinds = [
  "failed",
  "behind",
  "went back",
  "stopped",
  "at work",
  "waiting",
  "ready",
  "built",
  "switched",
  "live",
] as const;
type Kind = (typeof kinds)[number];

/** What a server does or did for a deployment. `label`, `tone`: its status, and the class of its color. */
export type ServerProgress = {
  readonly id: ServerId;
  /** Whether it only builds for the others. */
  readonly isBuilder: boolean;
  readonly kind: Kind;
  readonly label: string;
  readonly tone: string;
  readonly stages: readonly ShownStage[];
};

/** The times of the stages of each server. */
type Times = ReadonlyMap<ServerId, ReadonlyMap<LogStage, StageSpan>>;

type Facts = Pick<Deployment, "status" | "runs">;

/** What each server does, in the order in which they switch. @param now Unix milliseconds */
export function serverProgress({ status, runs }: Facts, times: Times, now: number): ServerProgress[] {
  const ids = [...new Set(runs.map(({ server_id: id }) => id))];
  return ids.flatMap((id) => {
    const own = runs.filter((run) => run.server_id === id);
    const last = own.at(-1);
    // The stages of a run that goes back are the same again.
    const shown = own.findLast(({ purpose }) => purpose !== "revert");
    if (last === undefined) return [];
    const stages =
      shown === undefined ? [] : stagesOn(shown, times.get(id) ?? new Map(), endOf(shown, own, now));
    return { id, isBuilder: last.purpose === "build", ...standing(last, status), stages };
  });
}

/** Whether servers return to the release that was live, because the deployment failed on another server. */
export function isGoingBack({ status, runs }: Facts): boolean {
  return status === "building" && runs.some(({ purpose }) => purpose === "revert");
}

/** The columns of a table of all servers: optional stages only if a server has begun them. */
export function stageColumns(servers: readonly ServerProgress[]): RunStage[] {
  const hasBegun = (wanted: string) =>
    servers.some(({ stages }) => stages.some(({ stage, state }) => stage === wanted && !isIdle(state)));
  return runStages.filter((stage) => !optionalStages.has(stage) || hasBegun(stage));
}

/** The same servers, with what needs attention first. */
export function byUrgency(servers: readonly ServerProgress[]): ServerProgress[] {
  return servers.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

/** How many servers stand how, such as `3 servers: 1 failed, 2 ready`. A server that only builds for them does not count. */
export function progressText(servers: readonly ServerProgress[]): string {
  const own = servers.filter(({ isBuilder }) => !isBuilder);
  const counts = kinds.flatMap((kind) => {
    const count = own.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : `${count} ${kind}`;
  });
  return `${counted(own.length, "server")}: ${counts.join(", ")}`;
}

function isIdle(state: StageState): boolean {
  return state === "open" || state === "skipped";
}

/** When the lines of a run end at the latest: the server's next run prints to the same log. */
function endOf(run: DeploymentRun, own: readonly DeploymentRun[], now: number): number {
  const next = own[own.indexOf(run) + 1]?.started_at ?? null;
  return next === null ? now : Date.parse(next);
}

/** The stages of a run. A stage lasts until the next one begins, and the last one until its last line. */
function stagesOn(
  { status, stage: current, failure }: DeploymentRun,
  spans: ReadonlyMap<LogStage, StageSpan>,
  end: number,
): ShownStage[] {
  const isRunning = status === "running";
  const hasEnded =
    status === "switched" || status === "failed" || status === "stopped" || status === "skipped";
  return runStages.map((stage, at) => {
    const span = spans.get(stage);
    const state = stateOf(stage, span !== undefined);
    if (span === undefined) return { stage, state, seconds: null };
    const next = runStages.slice(at + 1).flatMap((later) => spans.get(later)?.first ?? [])[0];
    const until = next ?? (state === "current" ? end : Math.min(span.last, end));
    return { stage, state, seconds: Math.max(0, (until - span.first) / 1000) };
  });

  function stateOf(stage: RunStage, hasBegun: boolean): StageState {
    if (failure?.stage === stage) return "failed";
    if (isRunning && current === stage) return "current";
    if (hasBegun) return "done";
    // Without any line, because the log is loading or no longer kept, only the result is known.
    if (status === "switched" && spans.size === 0 && !optionalStages.has(stage)) return "done";
    return hasEnded ? "skipped" : "open";
  }
}

type Standing = Pick<ServerProgress, "kind" | "label" | "tone">;

function standing(run: DeploymentRun, of: Deployment["status"]): Standing {
  if (run.purpose === "revert") return goingBack(run);
  const isLate = run.purpose === "catch_up";
  const stage = run.stage === null ? "" : buildingLabels[run.stage];
  switch (run.status) {
    case "waiting":
      return isLate
        ? { kind: "behind", label: "Behind", tone: "degraded" }
        : { kind: "waiting", label: "Waiting", tone: "queued" };
    case "offered":
      return isLate
        ? { kind: "behind", label: "Behind, waits for its agent", tone: "degraded" }
        : { kind: "waiting", label: "Waits for its agent", tone: "queued" };
    case "running":
      return { kind: "at work", label: isLate ? `Catching up: ${stage}` : stage, tone: "building" };
    case "ready":
      return { kind: "ready", label: isLate ? "Catching up" : "Ready, waits for others", tone: "held" };
    case "switched":
      return of === "live"
        ? { kind: "live", label: isLate ? "Live, caught up" : "Live", tone: "live" }
        : { kind: "switched", label: "Switched", tone: of === "building" ? "live" : "superseded" };
    case "failed":
      return { kind: "failed", label: isLate ? "Behind, could not catch up" : "Failed", tone: "failed" };
    case "stopped":
      return { kind: "stopped", label: "Stopped", tone: "canceled" };
    case "built":
      return { kind: "built", label: "Built", tone: "live" };
    case "skipped":
      return { kind: "behind", label: "Left out, not connected", tone: "degraded" };
    default:
      return { kind: "at work", label: run.status, tone: "queued" };
  }
}

/** A server that serves again what it served before, because the deployment failed on another one. */
function goingBack({ status, release }: DeploymentRun): Standing {
  switch (status) {
    case "waiting":
      return { kind: "at work", label: "Goes back next", tone: "queued" };
    case "switched":
      return {
        kind: "went back",
        label: release === null ? "Went back" : `Went back to v${release}`,
        tone: "superseded",
      };
    case "failed":
    case "stopped":
    case "skipped":
    case "built":
      return { kind: "failed", label: "Could not go back", tone: "failed" };
    case "offered":
    case "running":
    case "ready":
    default:
      return { kind: "at work", label: "Going back", tone: "building" };
  }
}
