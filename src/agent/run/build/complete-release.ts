import { realpath } from "node:fs/promises";

import { isOnlyBuilder } from "#agent/workspace/artifact-task.ts";
import { refuseLeavingLinks } from "#agent/run/build/check-links.ts";
import { linkSharedPaths } from "#agent/run/build/link-shared-paths.ts";
import type { BuildPlan } from "#agent/run/build/plan-build.ts";
import { type restoreBuildCaches, storeBuildCaches } from "#agent/run/cache/build-caches.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import { type BuiltRelease, type Release, writeRelease } from "#agent/workspace/releases.ts";
import { moveCopiesBack } from "#agent/workspace/shared-paths.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Completes a release whose files are built, here or on another server: links the shared paths, checks the links, and writes
 * the record. A server that only builds for others writes none, so nothing can switch to the release.
 */
export async function completeRelease(
  scope: RunScope,
  plan: BuildPlan,
  built: BuiltRelease,
  isTaken = false,
): Promise<Step<Release>> {
  const { order, folder } = scope;
  const { release: path, build_command } = plan;
  const linked = await linkSharedPaths(scope, path, plan.linked);
  if (!linked.ok) return linked;
  // Checked after the last command and the shared paths, so that the checked files are the files that will be served.
  const { root_directory, output_directory, published } = built;
  const places = {
    ...{ version: order.version, root_directory, output_directory },
    ...(published === undefined ? {} : { published }),
  };
  const limit = startLimit(order.timeouts.build_seconds, scope.interrupt);
  const { home } = scope.context;
  // Nothing serves or runs the files of an image.
  const leaving =
    built.image === undefined
      ? await refuseLeavingLinks(home, folder, places, limit.signal, linked.value)
      : null;
  limit.clear();
  if (leaving !== null) await moveCopiesBack(path, folder.shared, linked.value);
  if (scope.interrupt.signal.aborted) return interrupted;
  if (leaving !== null) return fail("build_failed", "build", scope.mask(leaving));
  // After the check, so that a build cannot leave a link that every later one would get.
  if (build_command !== null) await withBuildLimit(scope, plan, storeBuildCaches);
  if (scope.interrupt.signal.aborted) return interrupted;
  const release: Release = {
    ...built,
    version: order.version,
    repository: scope.mask(order.source.repository),
    commit_sha: plan.commitSha,
    commit_message: plan.commitMessage,
    branch: order.source.branch,
    project_name: order.project_name,
    activate_command: order.activate_command,
    limits: order.limits,
    ...(isTaken ? { taken: true } : {}),
    ...(plan.tools.folders.length === 0 ? {} : { tool_folders: [...plan.tools.folders] }),
  };
  if (!isOnlyBuilder(order)) await writeRelease(folder, release);
  return succeed(release);
}

/** Copies what builds keep for the next one, no longer than a build may take. */
export async function withBuildLimit(
  scope: RunScope,
  plan: BuildPlan,
  copy: typeof restoreBuildCaches | typeof storeBuildCaches,
): Promise<void> {
  const limit = startLimit(scope.order.timeouts.build_seconds, scope.interrupt);
  await copy(scope, await realpath(plan.release), plan.buildCaches, limit.signal);
  limit.clear();
}
