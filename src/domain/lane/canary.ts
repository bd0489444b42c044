import { SYSTEM } from "#domain/events/system-actor.ts";
import type { Effect } from "#domain/lane/decision.ts";
import { firstBatchOf } from "#domain/lane/fleet.ts";
import {
  activeOf,
  isIn,
  type Lane,
  type LaneDeployment,
  type Named,
  replaceDeployment,
} from "#domain/lane/lane.ts";
import { switchedText } from "#domain/lane/runs.ts";

/** How long a deployment waits for the approval of the servers that have switched first, in milliseconds. */
export const CANARY_MS = 60 * 60_000;

type Active = Named<"active">;

/**
 * Whether the servers that switch first wait for an approval. Only a new release does: people roll back, restart and scale
 * because something is wrong.
 */
export function awaitsCanary({ kind, emergency, state: { plan, quota, canary } }: Active): boolean {
  const { fleet } = plan;
  if (fleet?.rollout.canary?.approval !== true || kind !== "deploy" || emergency !== null) return false;
  return quota === firstBatchOf(fleet) && canary?.name !== "given";
}

/** When a deployment that waits for this approval is canceled, in Unix milliseconds; null: it does not wait for one. */
export function canaryDeadline(deployment: LaneDeployment): number | null {
  if (!isIn(deployment, "active") || deployment.state.verdict !== null) return null;
  const { canary } = deployment.state;
  return canary?.name === "missing" ? canary.since + CANARY_MS : null;
}

/** The next step of a deployment whose first servers have switched, and that waits for an approval; null: there is none. */
export function holdCanary(lane: Lane, active: Active, now: number) {
  const deadline = canaryDeadline(active);
  if (deadline === null) {
    const held: Active = {
      ...active,
      state: { ...active.state, canary: { name: "missing", since: now } },
    };
    const { plan } = active.state;
    const message = `Waiting for an approval: ${switchedText(active)}`;
    const effects: Effect[] = [
      { type: "log", deploymentId: active.id, stage: "activate", message },
      { type: "event", event: "deployment.held", deployment: held, plan, actor: SYSTEM },
    ];
    return { lane: replaceDeployment(lane, held), effects };
  }
  if (now < deadline) return null;
  const by = `Gantry, because nobody approved it for ${CANARY_MS / 60_000} min`;
  const verdict = { type: "cancel", by, actor: SYSTEM } as const;
  const canceled: Active = { ...active, state: { ...active.state, verdict } };
  return { lane: replaceDeployment(lane, canceled), effects: [] };
}

/**
 * What somebody should know who asks for a rollback while the first servers wait for an approval: a rollback is about what is
 * live, and runs afterwards. As a sentence; null: they do not wait.
 */
export function canaryAdvice(lane: Lane): string | null {
  const active = activeOf(lane);
  if (active === null || canaryDeadline(active) === null) return null;
  const name = `v${active.version}`;
  return `${name} has switched on its first servers and waits for an approval: approve it, or cancel it to let them go back.`;
}
