import type { ServerId } from "#contract/ids.ts";
import type { Named, Run } from "#domain/lane/lane.ts";
import { deploying, isRunIn, releaserOf } from "#domain/lane/runs.ts";

// The run that builds for the other servers. Without the setting `build_on` there is none: each server builds for itself.

/** The run that builds for others in an active deployment; null: there is none. */
export function builderIn({ state }: Named<"active">): Run | null {
  return state.runs.find(({ builds }) => builds !== undefined) ?? null;
}

/** The run that the others wait for, because it makes their build; null: they wait for none. */
export function awaitedBuilder(active: Named<"active">): Run | null {
  const builder = builderIn(active);
  if (builder === null || active.build !== undefined) return null;
  // Its agent makes no builds for others, so they build for themselves.
  const isDone = builder.builds === "too" && isRunIn(builder, "running") && builder.state.ready;
  return isDone ? null : builder;
}

/**
 * The runs that may have an order by now. The first server gets its order alone. If it builds for itself, it is alone until it
 * has resolved the commit. If it takes a build, it is alone until it has accepted the order: if it is not connected, another
 * server gets the release command.
 */
export function offerable(active: Named<"active">): readonly Run[] {
  const builder = awaitedBuilder(active);
  if (builder !== null) return [builder];
  const left = deploying(active).filter((run) => !isRunIn(run, "skipped"));
  if (active.commitSha === null) return left.slice(0, 1);
  const first = knowsCommitFirst(active) ? releaserOf(active) : null;
  return first !== null && isRunIn(first, "waiting", "offered") ? [first] : left;
}

/** Whether the commit is known before the first server has an order. */
function knowsCommitFirst(active: Named<"active">): boolean {
  return active.build !== undefined || builderIn(active) !== null;
}

/** Whether a run cannot be left out: others wait for its build, or have orders that leave the release command to it. */
export function isNeeded(active: Named<"active">, run: Run): boolean {
  if (awaitedBuilder(active)?.id === run.id) return true;
  if (active.commitSha === null || releaserOf(active)?.id !== run.id) return false;
  if (!knowsCommitFirst(active)) return true;
  const others = deploying(active).filter(({ id, builds }) => id !== run.id && builds === undefined);
  const successors = others.filter((one) => !isRunIn(one, "skipped"));
  return successors.length === 0 || successors.some((one) => !isRunIn(one, "waiting"));
}

/** Whether the deployment no longer needs a run: it only builds for others, and they have its build. */
export function isSpare({ build }: Named<"active">, { builds }: Run): boolean {
  return builds === "only" && build !== undefined;
}

/** Whether a server may send parts of a build: it builds for others now. */
export function maySendBuild(active: Named<"active"> | null, serverId: ServerId): boolean {
  const builder = active === null ? null : builderIn(active);
  if (builder === null || builder.serverId !== serverId) return false;
  return isRunIn(builder, "running") && builder.state.ending === null;
}
