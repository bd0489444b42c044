import { isWeakerRule } from "#contract/endpoints/projects/approval-rule.ts";
import type { FreezeId } from "#contract/ids.ts";
import {
  activeOf,
  findDeployment,
  type Lane,
  type LaneHold,
  type Named,
  queuedOf,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { withScaleOf } from "#domain/lane/plan-differences.ts";
import { repinned } from "#domain/lane/pins.ts";
import { settleConfig } from "#domain/lane/settle-config.ts";
import { holdOfDeployment, settleRollback } from "#domain/lane/settle-rollback.ts";
import type { DeploymentVariables } from "#domain/lane/variables.ts";

/** How long a deployment waits for its commit and an approval before it is canceled. */
export const APPROVAL_MS = 7 * 24 * 60 * 60_000;

/** How long a lane with queued deployments trusts its copy of the freezes: it may have missed a change. */
const FREEZES_MS = 60 * 60_000;

/** How many names of settings a log line lists. */
const MAX_LISTED = 20;

/**
 * The hold of a deployment that would otherwise be offered now; null: nothing holds the deployment. A rollback is held
 * only if it would change more than the code, a `config` deployment only if it would change more than the scale.
 */
export function holdOf(lane: Lane, queued: Named<"queued">, now: number): LaneHold | null {
  return settle(lane, queued, now).hold;
}

/** Whether a deployment may run before a held deployment that was started earlier. */
export function mayPass(lane: Lane, queued: Named<"queued">, now: number): boolean {
  return settle(lane, queued, now).mayPass;
}

/** What a deployment runs with if it is offered now, and what holds it. */
export function settle(lane: Lane, queued: Named<"queued">, now: number) {
  switch (queued.kind) {
    case "rollback": {
      const settled = settleRollback(lane, queued, now);
      return { ...settled, mayPass: settled.hold === null };
    }
    case "config":
      return settleConfig(lane, queued, now);
    case "deploy": {
      const { serverId, variables, state } = queued;
      return {
        settings: { serverId, variables, plan: state.plan },
        hold: holdOfDeployment(lane, queued, now),
        mayPass: queued.emergency !== null,
      };
    }
  }
}

/** Whether a queued deployment waits for an approval, or will when it is the first. */
export function needsApproval(lane: Lane, queued: Named<"queued">, now: number): boolean {
  if (queued.approval === "none") return false;
  if (queued.kind === "deploy") return queued.emergency === null;
  return holdOf(lane, queued, now)?.type === "approval";
}

/** The deployment at the head of the queue, if something holds it; null otherwise. */
export function heldOf(lane: Lane): (Named<"queued"> & { state: { hold: LaneHold } }) | null {
  const [head] = queuedOf(lane);
  if (head === undefined || head.state.hold === null) return null;
  return { ...head, state: { ...head.state, hold: head.state.hold } };
}

/** Marks the head of the queue as held. While it is held, no deployment in the queue has a deadline. */
export function withHold(lane: Lane, head: Named<"queued">, hold: LaneHold): Lane {
  return queuedOf(lane).reduce((next, one) => {
    const held = one.id === head.id ? hold : one.state.hold;
    const isSame = JSON.stringify(held) === JSON.stringify(one.state.hold) && one.state.deadlineAt === null;
    if (isSame) return next;
    return replaceDeployment(next, { ...one, state: { ...one.state, hold: held, deadlineAt: null } });
  }, lane);
}

/** Whether two holds are shown as the same: the same freeze, or both a missing approval or a missing commit. */
export function isSameHold(one: LaneHold | null, other: LaneHold): boolean {
  if (one === null) return false;
  return one.type === "freeze" && other.type === "freeze" ? one.id === other.id : one.type === other.type;
}

/** Why a deployment waits, for its log. */
export function describeHold(lane: Lane, hold: LaneHold): string {
  const why =
    hold.differs.length === 0 ? "" : `, because it changes more than the code: ${listed(hold.differs)}`;
  switch (hold.type) {
    case "commit":
      return "Waiting for the server to resolve the commit that needs an approval";
    case "approval":
      return `Waiting for an approval${why}`;
    case "freeze":
      return `Held by the freeze ${freezeName(lane, hold.id)} until ${new Date(hold.until).toISOString()}${why}`;
  }
}

function freezeName(lane: Lane, id: FreezeId): string {
  return lane.freezes.rules.find((rule) => rule.id === id)?.name ?? id;
}

/** The names of settings in a sentence. */
function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return more > 0 ? `${names.slice(0, MAX_LISTED).join(", ")} and ${more} more` : names.join(", ");
}

/** Log lines for a deployment that is offered after a freeze, or passes a hold. */
export function describePass(lane: Lane, next: Named<"queued">, now: number): string[] {
  const held = heldOf(lane);
  return [
    ...describeOffered(lane, next, now),
    ...(held === null || held.id === next.id
      ? []
      : [`Passes v${held.version}, which is held. It runs afterwards, unless it is canceled`]),
  ];
}

function describeOffered(lane: Lane, next: Named<"queued">, now: number): string[] {
  const ended = next.state.hold?.type === "freeze" ? ["The freeze has ended"] : [];
  switch (next.kind) {
    case "rollback":
      return describeSettled(lane, next, now);
    case "config": {
      const described = describeConfig(lane, next, now);
      return described.length === 0 ? ended : described;
    }
    case "deploy":
      return ended;
  }
}

/** What a restart or a change of scale leaves out, and what would hold a deployment in its place. */
function describeConfig(lane: Lane, config: Named<"queued">, now: number): string[] {
  const { passes, differs, runsWith } = settleConfig(lane, config, now);
  return [
    ...(runsWith === "live"
      ? [`Runs with what is live, without the changes of ${listed(differs)}. \`gantry apply\` applies them`]
      : []),
    ...(passes?.type === "freeze"
      ? [`The freeze ${freezeName(lane, passes.id)} does not hold restarts and changes of scale`]
      : []),
    ...(passes?.type === "approval" ? ["Restarts and changes of scale need no approval"] : []),
  ];
}

/** What a rollback runs with, and what would hold a deployment in its place. */
function describeSettled(lane: Lane, rollback: Named<"queued">, now: number): string[] {
  const { passes, differs, runsWith } = settleRollback(lane, rollback, now);
  const target = `v${findDeployment(lane, rollback.runWith?.target ?? rollback.id)?.version ?? rollback.codeVersion}`;
  const variables = {
    current: [],
    deployed: [`the variables of ${target}`],
    live: ["the variables that are live"],
  };
  const what = [
    ...(runsWith.settings === "deployed" ? [`the settings of ${target}`] : []),
    ...variables[runsWith.variables],
  ];
  const without =
    passes === null || differs.length === 0 ? "" : `, without the changes of ${listed(differs)}`;
  return [
    ...(what.length === 0 ? [] : [`Runs with ${what.join(" and ")}${without}`]),
    ...(passes?.type === "freeze"
      ? [`The freeze ${freezeName(lane, passes.id)} does not hold what was live before`]
      : []),
    ...(passes?.type === "approval" ? ["What was live before needs no approval"] : []),
  ];
}

/**
 * Updates the deployments that another deployment passes in the queue. They run after the passing deployment, and would
 * otherwise undo a later start. A restart or a change of scale gives them its number of instances, and its stopped
 * processes. A rollback or an emergency gives them the server and the settings of its request, if it runs with these.
 * Approved settings do not change, and settings never get to a deployment with a weaker approval rule than the passing
 * deployment's.
 */
export function passHeld(lane: Lane, passing: Named<"queued">, now: number): Lane {
  const { settings } = settle(lane, passing, now);
  const passed = queuedOf(lane).filter(({ version }) => version < passing.version);
  if (passing.kind === "config" && passing.emergency === null)
    return passed.reduce((next, one) => {
      const plan = withScaleOf(one.state.plan, settings.plan);
      return replaceDeployment(next, { ...one, state: { ...one.state, plan } });
    }, lane);
  const { serverId, plan, variables: its } = settings;
  const isEarlier = runsWithEarlier(lane, passing, now);
  return passed.reduce((next, one) => {
    const changed = { ...one, variables: notOlder(one.variables, its) };
    const keepsOwn =
      isEarlier ||
      one.kind === "rollback" ||
      one.approvedBy !== null ||
      isWeakerRule(one.approval, passing.approval);
    if (keepsOwn) return replaceDeployment(next, changed);
    // No hold protects it, so it stays with the person who started the deployment.
    const { release_command } = one.state.plan;
    const state = { ...one.state, plan: { ...plan, release_command } };
    return replaceDeployment(next, repinned(one, { ...changed, serverId, state }));
  }, lane);
}

/** Whether a deployment that passes others runs with other settings or variables than the project's current ones. */
function runsWithEarlier(lane: Lane, passing: Named<"queued">, now: number): boolean {
  if (passing.kind !== "rollback") return false;
  const { runsWith } = settleRollback(lane, passing, now);
  return runsWith.settings === "deployed" || runsWith.variables === "live";
}

/** An agent refuses secrets that are older than the secrets that it has used. */
function notOlder(
  own: DeploymentVariables | null,
  used: DeploymentVariables | null,
): DeploymentVariables | null {
  const isOlder =
    used !== null && !used.deployed && own?.deployed !== true && (own?.revision ?? 0) < used.revision;
  return isOlder ? used : own;
}

/** When the lane must look at its held deployment again, in Unix milliseconds; null: nothing is held. */
export function nextHoldCheck(lane: Lane): number | null {
  const held = heldOf(lane);
  if (held === null || activeOf(lane) !== null) return null;
  const { hold } = held.state;
  return hold.type === "freeze" ? hold.until : hold.since + APPROVAL_MS;
}

/** When the lane must read the freezes again, in Unix milliseconds; null: nothing is queued that a freeze could hold. */
export function freezesDueAt(lane: Lane): number | null {
  return queuedOf(lane).length === 0 ? null : lane.freezes.readAt + FREEZES_MS;
}
