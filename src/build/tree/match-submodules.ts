import type { SubmoduleEntry } from "#build/commands/read-submodules.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { suggest } from "#contract/lib/suggest.ts";
import { type FileProblem, shown, unusable } from "#project-files/processes/file-problem.ts";

/** A submodule whose files are written. */
export type Submodule = {
  readonly name: string;
  readonly path: string;
  readonly url: string;
  readonly sha: string;
};

/** `skipped`: the paths of submodules that `.gitmodules` leaves out. */
type Matched = { readonly submodules: readonly Submodule[]; readonly skipped: readonly string[] };

const MOST_NAMED = 5;

/**
 * Finds the address of each submodule. A submodule without one fails the deployment: its folder would be empty.
 * @param gitlinks the commits of the submodules, by path
 * @param entries what `.gitmodules` says; null if it does not exist
 */
export function matchSubmodules(
  gitlinks: ReadonlyMap<string, string>,
  entries: readonly SubmoduleEntry[] | null,
): ResultOf<Matched, { readonly problem: FileProblem }> {
  const submodules: Submodule[] = [];
  const skipped: string[] = [];
  for (const [path, sha] of gitlinks) {
    const entry = entries?.find((one) => one.path === path);
    if (entry?.isSkipped === true) skipped.push(path);
    else if (entry === undefined)
      return unusable(
        entries === null
          ? `the repository has the submodule ${shown(path)}, and no .gitmodules that says where to fetch it from`
          : `.gitmodules does not say where to fetch the submodule ${shown(path)} from: ${pathsText(entries)}`,
        adviceFor(path, entries ?? []),
      );
    else if (entry.url === null)
      return unusable(
        `the entry ${shown(entry.name)} of .gitmodules has no url, so the submodule ${shown(path)} cannot be fetched`,
        `Add a line \`url = ADDRESS\` to the entry, and commit .gitmodules.`,
      );
    else submodules.push({ name: entry.name, path, url: entry.url, sha });
  }
  return succeed({ submodules, skipped });
}

function pathsText(entries: readonly SubmoduleEntry[]): string {
  if (entries.length === 0) return "it has no entry with a path";
  const names = entries.slice(0, MOST_NAMED).map(({ path }) => shown(path));
  return `it has ${names.join(", ")}${entries.length > MOST_NAMED ? " and others" : ""}`;
}

function adviceFor(path: string, entries: readonly SubmoduleEntry[]): string {
  const near = suggest(
    path,
    entries.map((one) => one.path),
  );
  if (near !== null) return `Correct \`path = ${near}\` in .gitmodules to \`path = ${path}\`, and commit it.`;
  return `If it is a submodule, run \`git submodule add --force ADDRESS ${path}\`. If its files belong to this repository, delete ${path}/.git, and run \`git rm --cached ${path}\` and \`git add ${path}\`. Then commit.`;
}
