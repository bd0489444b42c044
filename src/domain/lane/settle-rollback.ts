import { currentFreeze } from "#domain/freezes/project-freezes.ts";
import {
  findDeployment,
  isIn,
  type Lane,
  type LaneDeployment,
  type LaneHold,
  liveOf,
  type Named,
  type Plan,
} from "#domain/lane/lane.ts";
import { earlierPlan, planDifferences } from "#domain/lane/plan-differences.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";

/** What a rollback runs with, besides its code. */
type Settings = Pick<LaneDeployment, "serverId" | "variables"> & { readonly plan: Plan };

/** A rollback as requested, before its settings are decided. */
export type UnsettledRollback = Pick<
  LaneDeployment,
  "serverId" | "variables" | "runWith" | "approval" | "approvedBy" | "pin" | "emergency"
> & { readonly state: Pick<Named<"queued">["state"], "plan" | "hold"> };

/**
 * What a rollback runs with. `hold`: the hold that it waits for first, because it would change more than the code;
 * null: none. `passes`: a hold that would stop another deployment in its place, but not this one. `differs`: the
 * settings of its request that differ from the live settings. `runsWith`: where its settings come from; `live`: the
 * variables that are live.
 */
export type SettledRollback = {
  readonly settings: Settings;
  readonly hold: LaneHold | null;
  readonly passes: LaneHold | null;
  readonly differs: readonly string[];
  readonly runsWith: {
    readonly settings: "current" | "deployed";
    readonly variables: "current" | "deployed" | "live";
  };
};

/** What decides whether a deployment is held. */
export type Holdable = Pick<UnsettledRollback, "approval" | "approvedBy" | "pin" | "emergency" | "state">;

/**
 * What would hold a deployment that is first in the queue; null: nothing. A missing approval comes before a freeze, because
 * it needs a person to act, and the commit comes first, because the person must see it. An emergency passes both.
 */
export function holdOfDeployment(
  lane: Lane,
  { approval, approvedBy, pin, emergency, state: { hold } }: Holdable,
  now: number,
): LaneHold | null {
  if (emergency !== null) return null;
  if (approval !== "none" && approvedBy === null) {
    const since = hold === null || hold.type === "freeze" ? now : hold.since;
    return { type: pin.name === "unknown" ? "commit" : "approval", since, differs: [] };
  }
  const current = currentFreeze(lane.freezes, now);
  if (current === null) return null;
  return { type: "freeze", id: current.freeze.id, until: current.until, differs: [] };
}

/**
 * Decides what a rollback runs with when its turn comes. Code that was live before may always come back. Settings that
 * differ from the live settings are held as a deployment would be. Then the settings that the request leaves open come
 * from earlier live deployments: from the target of the rollback; the server, the addresses, the limits and the
 * variables from the live deployment. So a rollback that leaves everything open never waits, if the lane knows these
 * settings.
 */
export function settleRollback(lane: Lane, rollback: UnsettledRollback, now: number): SettledRollback {
  const { serverId, variables, runWith } = rollback;
  const { plan } = rollback.state;
  const runsWith = {
    settings: runWith?.settings ?? "current",
    variables: runWith?.variables ?? "current",
  } as const;
  const differs = [
    ...settingsThatDiffer(lane, rollback, runsWith.settings),
    ...(runsWith.variables === "current" && hasOtherVariables(lane, rollback) ? ["variables"] : []),
  ];
  const general = holdOfDeployment(lane, rollback, now);
  const settings = { serverId, plan, variables: forRepository(variables, runsWith.settings) };
  const asRequested = { settings, hold: null, passes: general, differs, runsWith };
  if (general === null || differs.length === 0) return asRequested;
  const earlier = earlierSettings(lane, rollback, differs);
  return earlier === null
    ? { ...asRequested, hold: { ...general, differs }, passes: null }
    : { ...asRequested, ...earlier };
}

/** The settings of the request that differ from the live settings. The target's settings were live with its code. */
function settingsThatDiffer(
  lane: Lane,
  { serverId, state: { plan } }: UnsettledRollback,
  settings: "current" | "deployed",
): string[] {
  const live = liveOf(lane);
  const livePlan = live?.state.plan ?? null;
  const before =
    livePlan === null || settings === "current"
      ? livePlan
      : earlierPlan({ code: plan, live: livePlan, now: plan });
  return [...(live?.serverId === serverId ? [] : ["server_id"]), ...planDifferences(before, plan)];
}

function hasOtherVariables(lane: Lane, { variables }: UnsettledRollback): boolean {
  return (liveOf(lane)?.variables?.revision ?? 0) !== (variables?.revision ?? 0);
}

/** What the rollback runs with so that nothing holds it; null: its request asks for what differs, or it is not known. */
function earlierSettings(
  lane: Lane,
  { runWith, serverId, variables, state: { plan } }: UnsettledRollback,
  differs: readonly string[],
): Pick<SettledRollback, "settings" | "runsWith"> | null {
  const live = liveOf(lane);
  if (runWith === null || live === null || live.state.plan === null) return null;
  const areOwn = differs.every((name) => name === "variables");
  const code = areOwn ? plan : earlierCode(lane, runWith, plan);
  if (code === null) return null;
  const isOwnRevision = !differs.includes("variables");
  if (!isOwnRevision && runWith.variables === "current") return null;
  const settings = areOwn ? (runWith.settings ?? "current") : "deployed";
  const revision = live.variables?.revision ?? 0;
  return {
    settings: {
      serverId: areOwn ? serverId : live.serverId,
      plan: areOwn ? plan : earlierPlan({ code, live: live.state.plan, now: plan }),
      variables: isOwnRevision ? forRepository(variables, settings) : { revision, deployed: true },
    },
    runsWith: { settings, variables: isOwnRevision ? (runWith.variables ?? "current") : "live" },
  };
}

/** The plan that the code of a rollback was live with, if its request does not ask for today's. */
function earlierCode(
  lane: Lane,
  { settings, target }: NonNullable<UnsettledRollback["runWith"]>,
  plan: Plan,
): Plan | null {
  if (settings === "current") return null;
  // The plan of its request has these settings already.
  if (settings === "deployed") return plan;
  const deployment = findDeployment(lane, target);
  return deployment !== null && isIn(deployment, "live", "superseded") ? deployment.state.plan : null;
}

/** The repository of earlier settings may be on another host, to which the token of today's must not go. */
function forRepository(
  variables: DeploymentVariables | null,
  settings: "current" | "deployed",
): DeploymentVariables | null {
  return variables === null || settings === "current" ? variables : { ...variables, deployed: true };
}
