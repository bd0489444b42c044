import { existsSync } from "node:fs";

import { leftoversCommand, readUsedBytes, tidyCommand } from "#agent/containers/build-script.ts";
import { cacheLimit } from "#agent/run/cache/cache-limit.ts";
import { placeOfRun, runEngine } from "#agent/run/image/run-engine.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { recordImagesSize } from "#agent/workspace/images-size.ts";
import { listReleases, releasePath } from "#agent/workspace/releases.ts";
import { describeEnd } from "#build/failure/command-failure.ts";
import { hasSucceeded } from "#build/process/command.ts";
import { messageOf } from "#contract/lib/message-of.ts";

const LEFTOVERS_MS = 60_000;

/**
 * Removes what a run has left that failed or was stopped, such as half of a pulled image, if the project has no release. Otherwise
 * `tidyImages` does it, which needs a release: without this, failed first deployments could fill the disk until none can start.
 */
export async function removeLeftovers(scope: RunScope): Promise<void> {
  const { context, folder, order, interrupt } = scope;
  const isWanted = context.engine.kind !== "missing" && interrupt.reason !== "shutdown";
  if (!isWanted || !existsSync(folder.containers)) return;
  if (!existsSync(releasePath(folder, order.version))) return;
  if ((await listReleases(folder)).complete.length > 0) return;
  const limit = AbortSignal.timeout(LEFTOVERS_MS);
  const ran = await runEngine(scope, leftoversCommand(placeOfRun(scope)), "tidy", limit);
  if (!hasSucceeded(ran.end))
    context.log(`${order.project_name}: a stopped build has left files: ${describeEnd(ran.end)}`);
}

/**
 * Removes the images of releases that are no longer there, and records what the others take. An image of a release on this server stays,
 * whatever else there is.
 * @param wanted aborted when the project's next run waits
 */
export async function tidyImages(scope: RunScope, wanted: AbortSignal): Promise<void> {
  const { context, folder, order } = scope;
  try {
    if (context.engine.kind === "missing" || !existsSync(folder.containers)) return;
    const { complete } = await listReleases(folder);
    const newest = complete.at(-1);
    if (newest === undefined) return;
    const maxMib = (await cacheLimit(context)) === 0 ? 0 : context.policy.images_mb;
    const ran = await runEngine(
      scope,
      tidyCommand(placeOfRun(scope), complete, maxMib),
      "tidy",
      wanted,
      newest,
    );
    const bytes = hasSucceeded(ran.end) ? readUsedBytes(ran.stdout) : null;
    if (bytes !== null) await recordImagesSize(folder, bytes);
    if (!hasSucceeded(ran.end) && ran.end.kind !== "stopped")
      context.log(`${order.project_name}: its images cannot be cleaned up: ${describeEnd(ran.end)}`);
  } catch (error) {
    context.log(`${order.project_name}: its images cannot be cleaned up: ${messageOf(error)}`);
  }
}
