import { join } from "node:path";

import type { RunScope } from "#agent/step/run-scope.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import { linkSharedPath, type SharedBeginning, moveCopiesBack } from "#agent/workspace/shared-paths.ts";
import { succeed } from "#contract/lib/result.ts";

/**
 * Links the shared paths that exist already, so that a build sees them. Other paths stay as they are in the
 * repository, because a release whose build fails must not create shared files.
 * @returns the linked paths
 */
export async function linkExistingPaths(
  scope: RunScope,
  release: string,
  stage: "install" | "build",
): Promise<Step<ReadonlySet<string>>> {
  const linked = new Set<string>();
  for (const path of scope.order.shared_paths) {
    if ((await lstatOrNull(join(scope.folder.shared, path))) === null) continue;
    const link = await linkSharedPath(release, scope.folder.shared, path);
    if (link.kind === "refused") return refuse(path, link.reason);
    if (link.kind !== "linked") continue;
    linked.add(path);
    scope.log.system(stage, describe(path, link.beginning));
  }
  return succeed(linked);
}

/**
 * Links all shared paths, also those that the build has replaced.
 * @param existing the paths that were linked before the build
 * @returns the paths whose shared files start as the release's own copy
 */
export async function linkSharedPaths(
  scope: RunScope,
  release: string,
  existing: ReadonlySet<string>,
): Promise<Step<readonly string[]>> {
  const copies: string[] = [];
  for (const path of scope.order.shared_paths) {
    const link = await linkSharedPath(release, scope.folder.shared, path);
    if (link.kind === "refused") {
      await moveCopiesBack(release, scope.folder.shared, copies);
      return refuse(path, link.reason);
    }
    if (link.kind !== "linked") continue;
    if (link.beginning === "copy") copies.push(path);
    const again = existing.has(path) ? " again, because the build had replaced it" : "";
    scope.log.system("build", `${describe(path, link.beginning)}${again}`);
  }
  return succeed(copies);
}

function describe(path: string, beginning: SharedBeginning): string {
  const linked = `linked \`${path}\` to shared/${path}`;
  switch (beginning) {
    case "kept":
      return linked;
    case "copy":
      return `${linked}, which starts as a copy of the release's files`;
    case "empty":
      return `${linked}, which starts empty`;
    case "awaited":
      return `shared/${path} does not exist, and neither the repository nor the build has it: \`${path}\` is a link to it, which works once the file is written`;
  }
}

function refuse(path: string, reason: string): Step<never> {
  return fail("build_failed", "build", `the shared path \`${path}\` is refused: ${reason}`);
}
