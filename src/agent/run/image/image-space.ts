import { statfs } from "node:fs/promises";

import { requireSpace } from "#agent/run/artifact/require-space.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { listReleases, readRelease } from "#agent/workspace/releases.ts";

const GIB = 1024 ** 3;
/** A build needs room for its base images and layers, which nobody knows before. */
const LEAST_FREE_BYTES = 2 * GIB;
/** No more than this part of a small disk. */
const SHARE = 0.1;

/**
 * Checks that the disk has room for an image, because the apps of the server write to it too.
 * @throws an error with the code ENOSPC
 */
export async function requireImageSpace({ context }: RunScope, bytes: number): Promise<void> {
  await requireSpace(context.home, bytes, "the image");
}

/** The same before a build: room for twice the image of the newest release, and for base images. */
export async function requireBuildSpace(scope: RunScope): Promise<void> {
  const { folder, context } = scope;
  const { complete } = await listReleases(folder);
  const newest = complete.at(-1);
  const before = newest === undefined ? null : await readRelease(folder, newest);
  const { blocks, bsize } = await statfs(context.home);
  const least = Math.min(LEAST_FREE_BYTES, blocks * bsize * SHARE);
  await requireSpace(context.home, Math.max(least, 2 * (before?.image?.bytes ?? 0)), "a build of an image");
}
