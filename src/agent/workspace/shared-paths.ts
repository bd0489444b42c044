import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { lstatOrNull, makeParents } from "#agent/workspace/inside-release.ts";

/** `seeded`: the shared path is new, and began as the release's own copy or as an empty folder. */
export type SharedLink =
  | { readonly kind: "linked"; readonly seeded: "copy" | "empty" | null }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Puts a link to `shared/<path>` in the place of the release's own `<path>`.
 * Nothing is ever written through a link that the repository brought along.
 */
export async function linkSharedPath(release: string, shared: string, path: string): Promise<SharedLink> {
  const inTheWay = await makeParents(release, path);
  if (inTheWay !== null)
    return { kind: "refused", reason: `\`${inTheWay}\` in the release is not a folder of its own` };
  await mkdir(shared, { recursive: true });
  const sharedInTheWay = await makeParents(shared, path);
  if (sharedInTheWay !== null)
    return { kind: "refused", reason: `\`shared/${sharedInTheWay}\` is not a folder` };

  const own = join(release, path);
  const kept = join(shared, path);
  const seeded = (await lstatOrNull(kept)) === null ? await seed(own, kept) : null;
  if (seeded === "refused")
    return { kind: "refused", reason: `\`${path}\` in the release is a symbolic link` };
  await rm(own, { recursive: true, force: true });
  await symlink(relative(dirname(own), kept), own);
  return { kind: "linked", seeded };
}

async function seed(own: string, kept: string): Promise<"copy" | "empty" | "refused"> {
  const found = await lstatOrNull(own);
  if (found === null) {
    await mkdir(kept);
    return "empty";
  }
  if (!found.isDirectory() && !found.isFile()) return "refused";
  await rename(own, kept);
  return "copy";
}
