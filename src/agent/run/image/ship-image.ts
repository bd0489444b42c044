import { rm } from "node:fs/promises";
import { join } from "node:path";

import { loadCommand, saveCommand } from "#agent/containers/build-script.ts";
import { requireImageSpace } from "#agent/run/image/image-space.ts";
import { describeImage, placeOfRun, runEngine, stepAfterEngine } from "#agent/run/image/run-engine.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import type { Step } from "#agent/step/step.ts";
import type { ReleaseImage } from "#agent/workspace/release-image.ts";
import { removeOwned } from "#agent/workspace/remove-owned.ts";
import { releasePath } from "#agent/workspace/releases.ts";
import { succeed } from "#contract/lib/result.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";

/** The file of a build that has its image, while it is packed for other servers and after it was unpacked. */
const imageFile = ({ folder, order }: RunScope): string =>
  join(releasePath(folder, order.version), ".gantry-image.tar");

/** Writes the image of the release into a file of the build, for other servers. */
export async function saveImage(scope: RunScope, image: ReleaseImage): Promise<Step<null>> {
  const limit = startLimit(scope.order.timeouts.build_seconds, scope.interrupt);
  try {
    await requireImageSpace(scope, image.bytes);
    const command = saveCommand(placeOfRun(scope), scope.order.version, imageFile(scope));
    return await stepAfterEngine(scope, await runEngine(scope, command, "save", limit.signal), limit);
  } finally {
    limit.clear();
  }
}

/** Takes the image out of the files of a build of another server. @returns null if they have none */
export async function loadImage(scope: RunScope): Promise<Step<ReleaseImage | null>> {
  const file = await lstatOrNull(imageFile(scope));
  if (file?.isFile() !== true) return succeed(null);
  const limit = startLimit(scope.order.timeouts.build_seconds, scope.interrupt);
  try {
    await requireImageSpace(scope, file.size);
    const command = loadCommand(placeOfRun(scope), scope.order.version, imageFile(scope));
    const loaded = await stepAfterEngine(scope, await runEngine(scope, command, "load", limit.signal), limit);
    return loaded.ok ? await describeImage(scope, limit) : loaded;
  } finally {
    limit.clear();
    await removeImageFile(scope);
  }
}

/** Deletes the file: the release does not need it. */
export async function removeImageFile(scope: RunScope): Promise<void> {
  await removeOwned(scope.context, scope.folder, () => rm(imageFile(scope), { force: true }));
}
