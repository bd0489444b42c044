import { hides } from "#build/site-rules/source-files.ts";
import { checkLinks } from "#build/tree/check-links.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";

/**
 * Checks the symbolic links of a new release.
 * @param signal ends the check, because a repository can have very many links
 * @param copies paths of the release whose files were just moved to the shared folder
 * @returns why the release is refused; `null` when all links stay within it
 */
export async function refuseLeavingLinks(
  home: string,
  folder: ProjectFolder,
  release: Pick<Release, "version" | "root_directory" | "output_directory" | "published">,
  signal: AbortSignal,
  copies: readonly string[] = [],
): Promise<string | null> {
  const linked = {
    release: releasePath(folder, release.version),
    home,
    shared: folder.shared,
    root: release.root_directory,
    output: release.output_directory,
    copies,
    hides: release.published === false ? null : hides(release),
  };
  return await checkLinks(linked, signal);
}
