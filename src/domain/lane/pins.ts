import type { ApprovalRule } from "#contract/endpoints/projects/approval-rule.ts";
import type { ServerId } from "#contract/ids.ts";
import {
  type Lane,
  type LaneDeployment,
  type LaneHold,
  type Named,
  type Pin,
  queuedOf,
  replaceDeployment,
} from "#domain/lane/lane.ts";

const UNKNOWN: Pin = { name: "unknown", lastSend: null, tries: 0 };

/** The server that resolves the commit of a queued deployment: only the builder needs access to the repository. */
export function resolverOf({ serverId, state }: Pick<Named<"queued">, "serverId" | "state">): ServerId {
  return state.plan.builder ?? serverId;
}

/**
 * The pin of a new deployment. A deployment that repeats code needs no pin: its code was live. The commit of an uploaded build
 * is known.
 */
export function firstPin(
  { kind, commitSha }: Pick<LaneDeployment, "kind" | "commitSha">,
  approval: ApprovalRule,
): Pin {
  if (kind !== "deploy" || approval === "none") return { name: "none" };
  return commitSha === null ? UNKNOWN : { name: "pinned", sha: commitSha };
}

/** Sends the requests to a server again, because its agent has reconnected and lost the earlier requests. */
export function requestCommitsAgain(lane: Lane, serverId: ServerId): Lane {
  return queuedOf(lane)
    .filter((one) => resolverOf(one) === serverId && one.pin.name === "unknown")
    .reduce((next, one) => replaceDeployment(next, { ...one, pin: UNKNOWN }), lane);
}

/**
 * The pin of a queued deployment whose settings have changed: of another repository the commit is not known yet, and
 * another server has not been asked.
 */
export function repinned(before: Named<"queued">, changed: Named<"queued">): LaneDeployment {
  const isMoved = resolverOf(before) !== resolverOf(changed);
  const isOther = before.state.plan.repository !== changed.state.plan.repository;
  if (before.pin.name === "none" || before.approvedBy !== null) return changed;
  // The upload has named the commit.
  if (before.build !== undefined) return changed;
  if (isOther) return { ...changed, ...unknownAgain(changed.state) };
  return isMoved && before.pin.name === "unknown" ? { ...changed, pin: UNKNOWN } : changed;
}

/** Who waits for the approval is told again when the other commit is known. */
function unknownAgain(state: Named<"queued">["state"]) {
  const { hold } = state;
  const waits: LaneHold | null = hold?.type === "approval" ? { ...hold, type: "commit" } : hold;
  return { pin: UNKNOWN, commitSha: null, commitMessage: null, state: { ...state, hold: waits } };
}
