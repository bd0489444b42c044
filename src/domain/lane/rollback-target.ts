import type { DeploymentId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { findDeployment, isIn, type Lane, liveOf, type Named, onceLiveOf } from "#domain/lane/lane.ts";

/** The requested rollback target: a deployment by id or version, or the default without either. */
export type RollbackChoice = { deploymentId: DeploymentId | null; version: number | null };

export type RollbackTarget = Named<"live" | "superseded">;

/**
 * The newest deployment that was live, whose code is older than the live code, and whose commit is another one: the same
 * commit again would not change the site. If all have the live commit, the newest of them, such as one with another
 * build. A rollback counts as its source, so a second rollback goes back further, and never returns to the code that the
 * first one replaced. A `config` deployment counts as the code that it deployed again.
 */
function defaultTarget(lane: Lane): RollbackTarget | null {
  const live = liveOf(lane);
  const earlier = onceLiveOf(lane).filter((one) => live === null || one.codeVersion < live.codeVersion);
  return earlier.find(({ commitSha }) => commitSha !== live?.commitSha) ?? earlier[0] ?? null;
}

/** Finds the target of a rollback. Refuses with `already_live` and `no_rollback_target`. */
export function chooseTarget(
  lane: Lane,
  choice: RollbackChoice,
): Result<RollbackTarget, "already_live" | "no_rollback_target"> {
  if (choice.deploymentId === null && choice.version === null) {
    const target = defaultTarget(lane);
    return target === null
      ? refuse(
          "no_rollback_target",
          onceLiveOf(lane).length === 0
            ? "No deployment has been live yet."
            : "There is no earlier deployment with other code to roll back to. Name the deployment if a later one is meant.",
        )
      : succeed(target);
  }
  const named =
    choice.deploymentId === null
      ? (lane.deployments.find((one) => one.version === choice.version) ?? null)
      : findDeployment(lane, choice.deploymentId);
  const what = choice.deploymentId ?? `v${choice.version}`;
  if (named === null || !isIn(named, "live", "superseded") || named.deleted) {
    return refuse("no_rollback_target", `${what} was never live, or it was deleted.`);
  }
  const live = liveOf(lane);
  if (live !== null && live.codeVersion === named.codeVersion) {
    const as = live.id === named.id ? "" : `, as v${live.version}`;
    return refuse("already_live", `${what} is already live${as}.`);
  }
  return succeed(named);
}

/** The deployment that built the code of a target: not another rollback, nor a `config` deployment of it. */
export function originalOf(lane: Lane, { id, codeVersion, rollbackOf }: RollbackTarget): DeploymentId {
  if (rollbackOf !== null) return rollbackOf;
  return lane.deployments.find(({ version }) => version === codeVersion)?.id ?? id;
}

/** A rollback target. */
export type KnownTarget = { deployment: RollbackTarget; isDefault: boolean };

/** Every rollback target, newest first. Each release is listed once, by its newest deployment. */
export function listTargets(lane: Lane): KnownTarget[] {
  const live = liveOf(lane);
  const byDefault = defaultTarget(lane);
  const seen = new Set<number>(live === null ? [] : [live.codeVersion]);
  const targets: KnownTarget[] = [];
  for (const deployment of onceLiveOf(lane)) {
    if (seen.has(deployment.codeVersion)) continue;
    seen.add(deployment.codeVersion);
    targets.push({ deployment, isDefault: deployment.id === byDefault?.id });
  }
  return targets;
}
