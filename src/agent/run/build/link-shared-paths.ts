import type { RunScope } from "#agent/run/step/run-scope.ts";
import { fail, type Step } from "#agent/run/step/step.ts";
import {
  linkExistingPath,
  linkSharedPath,
  type SharedBeginning,
  takeCopiesBack,
} from "#agent/workspace/shared-paths.ts";
import { succeed } from "#contract/lib/result.ts";

/** Links what is shared already, so that a build sees it. @returns the paths that are linked now */
export async function linkExistingPaths(
  scope: RunScope,
  release: string,
): Promise<Step<ReadonlySet<string>>> {
  const linked = new Set<string>();
  for (const path of scope.order.shared_paths) {
    const link = await linkExistingPath(release, scope.folder.shared, path);
    if (link.kind === "refused") return refuse(path, link.reason);
    if (link.kind !== "linked") continue;
    linked.add(path);
    scope.log.system("build", describe(path, link.beginning));
  }
  return succeed(linked);
}

/**
 * Links all shared paths, also those that the build has replaced.
 * @param existing those that were linked before it
 * @returns those that begin as the release's own copy
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
      await takeCopiesBack(release, scope.folder.shared, copies);
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
      return `${linked}, which begins as the release's own copy`;
    case "empty":
      return `${linked}, which begins empty`;
    case "awaited":
      return `shared/${path} is not there, and neither the repository nor the build has it: \`${path}\` is a link to it, and works once it is written`;
  }
}

function refuse(path: string, reason: string): Step<never> {
  return fail("build_failed", "build", `the shared path \`${path}\` is refused: ${reason}`);
}
