import { refuseLeavingLinks } from "#agent/run/build/check-links.ts";
import { runBuildCommand } from "#agent/run/build/run-build-command.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, interrupted, type Step } from "#agent/step/step.ts";
import { findReleaseRoot } from "#agent/workspace/release-root.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * The release command of a run: the project's own, or else the repository's. None if it runs on another server. The repository's command runs only for new
 * code, because the order of a rollback has no release command: earlier code must not change the database of later
 * code. @param ofRepository the command that the repository of the release defines
 */
export function releaseCommandOf(
  { release_command: own, reuse_release, source, place }: RunOrder,
  ofRepository: string | undefined,
): string | null {
  if (place?.release === false) return null;
  if (own !== null) return own;
  const isNew = reuse_release === null && !source.was_live;
  return isNew ? (ofRepository ?? null) : null;
}

/**
 * Runs the release command in the new release, before anything is switched. A project without one does not have this
 * stage. A command that was interrupted is not run again: nobody knows how far it got.
 */
export async function runReleaseCommand(scope: RunScope, release: Release): Promise<Step<null>> {
  const { order, folder, context, interrupt } = scope;
  const line = releaseCommandOf(order, release.release_command);
  if (line === null) return succeed(null);
  scope.journal.record({ stage: "release" });
  scope.reporter.report({ type: "stage", stage: "release" }, "urgent");
  const root = await findReleaseRoot(folder, release);
  if (!root.ok) return fail("release_failed", "release", root.reason);
  const ran = await runBuildCommand(scope, "release", line, {
    release: releasePath(folder, release.version),
    folder: root.value,
    commitSha: release.commit_sha,
    isPreset: false,
    toolFolders: release.tool_folders ?? [],
    image: release.image,
    spentMs: 0,
  });
  if (!ran.ok || release.image !== undefined) return ran;
  // Again, because the command may have made links since the check at the end of the build.
  const limit = startLimit(order.timeouts.release_seconds, interrupt);
  const leaving = await refuseLeavingLinks(context.home, folder, release, limit.signal);
  limit.clear();
  if (interrupt.signal.aborted) return interrupted;
  return leaving === null ? succeed(null) : fail("release_failed", "release", scope.mask(leaving));
}
