import { findLeavingLinks, type LeavingLinks } from "#agent/workspace/leaving-links.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";

const MOST_IN_MESSAGE = 5;
const LONGEST_NAME = 120;

/**
 * Why a release must not be switched to for its symbolic links; `null` where all of them stay within it.
 * One that was checked when it was made is not checked again.
 * @param signal a repository can have so many links that it has to end
 * @param copies paths of the release whose files have just become what is shared there
 */
export async function refuseLeavingLinks(
  home: string,
  folder: ProjectFolder,
  release: Pick<Release, "version" | "root_directory" | "output_directory" | "links_checked">,
  signal: AbortSignal,
  copies: readonly string[] = [],
): Promise<string | null> {
  if (release.links_checked === true) return null;
  const linked = {
    release: releasePath(folder, release.version),
    home,
    shared: folder.shared,
    root: release.root_directory,
    output: release.output_directory,
    copies,
  };
  const links = await findLeavingLinks(linked, signal);
  if (links.count === 0 && signal.aborted) return "its symbolic links take too long to be looked at";
  return links.count === 0 ? null : describeLinks(links);
}

function describeLinks({ count, first }: LeavingLinks): string {
  const named = first
    .slice(0, MOST_IN_MESSAGE)
    .map(({ path, text }) => `\`${cut(path)}\` to \`${cut(text)}\``);
  const more = count > named.length ? `, and ${count - named.length} more` : "";
  const what = count === 1 ? "a symbolic link leads" : `${count} symbolic links lead`;
  return `${what} out of the release: ${named.join(", ")}${more}`;
}

function cut(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
