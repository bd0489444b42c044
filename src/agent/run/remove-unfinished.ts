import { removeLeftovers } from "#agent/run/image/tidy-images.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { removeOwned } from "#agent/workspace/remove-owned.ts";
import { removeRelease } from "#agent/workspace/releases.ts";

/** Removes the release of a run that failed or was stopped. */
export async function removeUnfinished(scope: RunScope): Promise<void> {
  const { context, folder, order } = scope;
  await removeLeftovers(scope);
  await removeOwned(context, folder, () => removeRelease(folder, order.version));
}
