import { findLeavingLinks, type LeavingLinks } from "#agent/workspace/leaving-links.ts";
import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { DEEPEST } from "#agent/workspace/tree-links.ts";
import { type Release, releasePath } from "#agent/workspace/releases.ts";

const MOST_IN_MESSAGE = 5;
const LONGEST_NAME = 120;

/**
 * Checks a release's symbolic links before a switch. A release that was checked when it was built is not checked
 * again.
 * @param signal ends the check, because a repository can have very many links
 * @param copies paths of the release whose files were just moved to the shared folder
 * @returns why the release is refused; `null` when all links stay within it
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
  if (links.count === 0 && signal.aborted) return "checking its symbolic links takes too long";
  if (links.count > 0) return describeLinks(links);
  return links.isComplete ? null : `its folders are nested more than ${DEEPEST} deep`;
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
