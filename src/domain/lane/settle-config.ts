import {
  type Lane,
  type LaneDeployment,
  type LaneHold,
  liveOf,
  type Plan,
  queuedOf,
} from "#domain/lane/lane.ts";
import { earlierPlan, planDifferences, withScaleOf } from "#domain/lane/plan-differences.ts";
import { type Holdable, holdOfDeployment } from "#domain/lane/settle-rollback.ts";

/** A `config` deployment as requested, before its settings are decided. */
export type UnsettledConfig = Holdable &
  Pick<LaneDeployment, "id" | "serverId" | "variables" | "restart" | "onlyScale">;

/**
 * What a `config` deployment runs with. `hold`: the hold that it waits for first. `passes`: a hold that would stop
 * another deployment in its place, but not this one. `differs`: the settings that are not live, besides the number of
 * instances and stopped processes. `runsWith`: `live`: without these differences. `mayPass`: whether it may run before
 * a deployment that is held.
 */
export type SettledConfig = {
  readonly settings: Pick<LaneDeployment, "serverId" | "variables"> & { readonly plan: Plan };
  readonly hold: LaneHold | null;
  readonly passes: LaneHold | null;
  readonly differs: readonly string[];
  readonly runsWith: "current" | "live";
  readonly mayPass: boolean;
};

/**
 * Decides what a `config` deployment runs with when its turn comes. A restart and a change of scale run only live
 * settings, so nothing holds them. In a hold they leave out settings and variables that were saved since: a person who
 * restarts an app in an incident wants the same app again, and at once. Everything else that differs is held as a
 * deployment would be.
 */
export function settleConfig(lane: Lane, config: UnsettledConfig, now: number): SettledConfig {
  const { serverId, variables, emergency } = config;
  const { plan } = config.state;
  const passes = holdOfDeployment(lane, config, now);
  const live = liveOf(lane);
  const differs = differencesOf(lane, config);
  const asRequested: SettledConfig = {
    ...{ settings: { serverId, variables, plan }, hold: null, passes, differs },
    ...{ runsWith: "current", mayPass: live !== null },
  };
  if (differs.length === 0 || emergency !== null) return asRequested;
  const isBehindHeld = isBehind(lane, config);
  if (passes === null && !isBehindHeld) return { ...asRequested, mayPass: false };
  const leavesOut = config.restart.length > 0 || config.onlyScale;
  if (!leavesOut || live === null || live.state.plan === null)
    return {
      ...asRequested,
      hold: passes === null ? null : { ...passes, differs },
      passes: null,
      mayPass: false,
    };
  const scaled = withScaleOf(live.state.plan, plan);
  const revision = live.variables?.revision ?? 0;
  return {
    ...asRequested,
    settings: {
      serverId: live.serverId,
      plan: earlierPlan({ code: live.state.plan, live: scaled, now: plan }),
      variables: revision === (variables?.revision ?? 0) ? variables : { revision, deployed: true },
    },
    runsWith: "live",
  };
}

/** Whether another deployment is first in the queue, and is held. */
function isBehind(lane: Lane, { id }: UnsettledConfig): boolean {
  const [head] = queuedOf(lane);
  return head !== undefined && head.id !== id && head.state.hold !== null;
}

function differencesOf(lane: Lane, { serverId, variables, state: { plan } }: UnsettledConfig): string[] {
  const live = liveOf(lane);
  const before = live?.state.plan ?? null;
  return [
    ...(live?.serverId === serverId ? [] : ["server_id"]),
    ...planDifferences(before === null ? null : withScaleOf(before, plan), plan),
    ...((live?.variables?.revision ?? 0) === (variables?.revision ?? 0) ? [] : ["variables"]),
  ];
}
