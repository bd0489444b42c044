import { basename, dirname, join } from "node:path";

import { fail, type Step } from "#agent/step/step.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { readStart } from "#build/tree/read-start.ts";
import { DEFAULT_DOCKERFILE, type Dockerfile } from "#contract/endpoints/projects/settings.ts";
import { succeed } from "#contract/lib/result.ts";

/** The settings of an image, and the names of the build arguments that its Dockerfile declares. */
export type ImagePlan = Dockerfile & { readonly args: readonly string[] };

const INITIAL: Dockerfile = { path: DEFAULT_DOCKERFILE, context: "." };

/** Reads what the build of an image needs from its Dockerfile. @param root the real path of the root directory */
export async function planImage(
  settings: Dockerfile | null | undefined,
  root: string,
): Promise<Step<ImagePlan>> {
  const chosen = settings ?? INITIAL;
  const folder = await folderInside(root, dirname(chosen.path));
  const text =
    folder.kind === "inside"
      ? await readStart(join(folder.path, basename(chosen.path))).catch(() => null)
      : null;
  if (text === null)
    return fail("build_failed", "build", `the repository has no readable file \`${chosen.path}\``);
  const args = [...text.matchAll(/^\s*ARG\s+([A-Za-z_]\w*)/gim)].flatMap(([, name]) => name ?? []);
  return succeed({ ...chosen, args });
}
