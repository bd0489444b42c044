import { currentFreeze } from "#domain/freezes/project-freezes.ts";
import {
  activeOf,
  type Lane,
  type LaneHold,
  type Named,
  queuedOf,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { repinned } from "#domain/lane/pins.ts";

/** How long a deployment waits for its commit and an approval before it is canceled. */
export const APPROVAL_MS = 7 * 24 * 60 * 60_000;

/** How long a lane with queued deployments trusts its copy of the freezes: it may have missed a change. */
const FREEZES_MS = 60 * 60_000;

/**
 * The hold of a deployment that would otherwise be offered now; null: nothing holds it. A missing approval comes before a
 * freeze, because it needs a person to act, and the commit comes first, because the person must see it. A rollback is
 * never held: its code was live before.
 */
export function holdOf(lane: Lane, queued: Named<"queued">, now: number): LaneHold | null {
  if (queued.kind === "rollback") return null;
  if (queued.approval !== "none" && queued.approvedBy === null) {
    const { hold } = queued.state;
    const since = hold === null || hold.type === "freeze" ? now : hold.since;
    return { type: queued.pin.name === "unknown" ? "commit" : "approval", since };
  }
  const current = currentFreeze(lane.freezes, now);
  return current === null ? null : { type: "freeze", id: current.freeze.id, until: current.until };
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
  switch (hold.type) {
    case "commit":
      return "Waiting for the server to resolve the commit that needs an approval";
    case "approval":
      return "Waiting for an approval";
    case "freeze": {
      const name = lane.freezes.rules.find(({ id }) => id === hold.id)?.name ?? hold.id;
      return `Held by the freeze ${name} until ${new Date(hold.until).toISOString()}`;
    }
  }
}

/** Log lines for a deployment that is offered after a freeze, and for a rollback, which passes what is held. */
export function describePass(lane: Lane, next: Named<"queued">, now: number): string[] {
  if (next.kind !== "rollback") return next.state.hold?.type === "freeze" ? ["The freeze has ended"] : [];
  const current = currentFreeze(lane.freezes, now);
  const held = heldOf(lane);
  return [
    ...(current === null ? [] : [`The freeze ${current.freeze.name} does not hold rollbacks`]),
    ...(held === null || held.id === next.id ? [] : [`Passes v${held.version}, which is held`]),
  ];
}

/**
 * Updates the deployments that a rollback passes in the queue. They run after it, so they get the server, the settings and
 * the variables that it was started with: otherwise they would undo a later start.
 */
export function passHeld(lane: Lane, rollback: Named<"queued">): Lane {
  const revision = Math.max(0, ...lane.deployments.map(({ variables }) => variables?.revision ?? 0));
  return queuedOf(lane)
    .filter(({ version }) => version < rollback.version)
    .reduce((next, one) => {
      const { serverId } = rollback;
      const variables = revision === 0 ? null : { revision, deployed: false };
      const state = { ...one.state, plan: rollback.state.plan };
      return replaceDeployment(next, repinned(one, { ...one, serverId, variables, state }));
    }, lane);
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
