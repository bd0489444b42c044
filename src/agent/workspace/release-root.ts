import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** Finds the folder in which a release's commands run: its root directory, which no link may lead out of the release. */
export async function findReleaseRoot(
  folder: ProjectFolder,
  { version, root_directory }: Pick<Release, "version" | "root_directory">,
): Promise<ResultOf<string, { readonly reason: string }>> {
  const root = await folderInside(releasePath(folder, version), root_directory);
  if (root.kind === "inside") return succeed(root.path);
  return { ok: false, reason: `the root directory \`${root_directory}\` is not in the release` };
}
