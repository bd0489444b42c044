import type { ServerId } from "#contract/ids.ts";
import { newerFreezes } from "#domain/freezes/project-freezes.ts";
import type { NewDeploymentRequest } from "#domain/lane/decide-start.ts";
import { serversOf } from "#domain/lane/fleet.ts";
import type { Lane, LaneHold } from "#domain/lane/lane.ts";
import { firstPin } from "#domain/lane/pins.ts";
import type { RollbackTarget } from "#domain/lane/rollback-target.ts";
import { type SettledRollback, settleRollback } from "#domain/lane/settle-rollback.ts";
import { newestVariables } from "#domain/lane/variables.ts";

/** What a rollback that starts now would run with. */
export type PreviewRequest = Pick<
  NewDeploymentRequest,
  "serverId" | "plan" | "variables" | "approval" | "freezes"
>;

/**
 * `runsWith`: what a rollback runs with whose request says nothing about it. `differs`: today's settings that are not live.
 * `servers`: where it would run. `heldBy`: what holds a rollback that asks for today's settings; null: nothing.
 */
export type RollbackPreview = Pick<SettledRollback, "runsWith" | "differs"> & {
  readonly servers: readonly ServerId[];
  readonly heldBy: Exclude<LaneHold["type"], "commit"> | null;
};

/** Shows what a rollback to a target would run with, and what would hold it. */
export function previewRollback(
  lane: Lane,
  { id: target }: Pick<RollbackTarget, "id">,
  asked: PreviewRequest,
  now: number,
): RollbackPreview {
  const { serverId, plan, approval } = asked;
  const known = { ...lane, freezes: newerFreezes(lane.freezes, asked.freezes, now) };
  const variables = newestVariables(asked.variables.revision, lane.deployments);
  const settle = (choice: "current" | null) =>
    settleRollback(
      known,
      {
        serverId,
        variables,
        runWith: { target, settings: choice, variables: choice },
        approval,
        approvedBy: null,
        emergency: null,
        pin: firstPin({ kind: "rollback", commitSha: null }, approval),
        state: { plan, hold: null },
      },
      now,
    );
  const { runsWith, differs, settings } = settle(null);
  const { hold } = settle("current");
  // The commit of a rollback is known.
  const heldBy = hold === null || hold.type === "commit" ? null : hold.type;
  return { runsWith, differs, servers: serversOf(settings.plan, settings.serverId), heldBy };
}
