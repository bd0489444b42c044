import { findLeavingLinks, type LeavingLinks, type LinkedRelease } from "#build/tree/leaving-links.ts";
import { DEEPEST } from "#build/tree/tree-links.ts";

const MOST_IN_MESSAGE = 5;
const LONGEST_NAME = 120;

/**
 * Checks the symbolic links of a release.
 * @param signal ends the check, because a repository can have very many links
 * @returns why the release is refused; `null` when all links stay within it
 */
export async function checkLinks(linked: LinkedRelease, signal: AbortSignal): Promise<string | null> {
  const links = await findLeavingLinks(linked, signal);
  if (links.count === 0 && signal.aborted) return "checking its symbolic links takes too long";
  if (links.count > 0) return describeLinks(links);
  if (links.hidden !== null)
    return `the symbolic link \`${cut(links.hidden.path)}\` would show visitors \`${cut(links.hidden.text)}\`, which the site hides: delete the link, or copy the file`;
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
