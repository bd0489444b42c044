import type { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import type { LedgerDecision } from "#contract/endpoints/hooks/push-decisions.ts";
import { BranchName } from "#contract/git-names.ts";
import { selectsName, selectsPath } from "#domain/pushes/match-patterns.ts";
import { type Push, readRef } from "#domain/pushes/push.ts";

/** What a project deploys. `branch`: its own. */
export type PushRules = { readonly deployOn: DeployOn; readonly branch: string };

/** What a project serves. */
export type LiveCode = {
  /** The live commit; null: nothing is live. */
  readonly commit: string | null;
  /** Later commits that differ from it only in files that do not count. */
  readonly sameAs: ReadonlySet<string>;
};

/** A decision with its reason as a sentence. `detail`: null: the push is deployed without a special reason. */
export type PushDecision = Exclude<LedgerDecision, { decision: "refused" }> & {
  readonly detail: string | null;
};

/**
 * Decides whether a push is deployed. Paths may only skip a push if all its files are known and it begins at the live
 * commit: otherwise an earlier push that failed, or was not reported, would be skipped with it.
 * @param asked a person asked for the deployment, so that skip markers do not count
 */
export function decidePush(
  { deployOn, branch }: PushRules,
  push: Push,
  live: LiveCode,
  asked: boolean,
): PushDecision {
  const ref = readRef(push.ref);
  if (ref.kind === "other") return ignored("not_a_push", `${push.ref} is neither a branch nor a tag.`);
  if (!deployOn.enabled)
    return ignored("disabled", "The project does not deploy pushes: its setting deploy_on is not enabled.");
  if (push.after === null) return ignored("ref_deleted", `The ${ref.kind} ${ref.name} was deleted.`);
  // The agent would not read the order, and the queue would wait until its deadline.
  if (!BranchName.safeParse(ref.name).success)
    return ignored("not_a_push", `Gantry deploys no ${ref.kind} with the name ${ref.name}.`);
  if (ref.kind === "tag")
    return selectsName(deployOn.tags, ref.name)
      ? { decision: "deployed", reason: null, detail: null }
      : ignored(
          "tag_not_watched",
          `The tag ${ref.name} is not selected. ${selection("tags", deployOn.tags)}`,
        );
  const branches = deployOn.branches ?? [branch];
  const isWatched = deployOn.branches === null ? ref.name === branch : selectsName(branches, ref.name);
  if (!isWatched)
    return ignored(
      "branch_not_watched",
      `The branch ${ref.name} is not selected. ${selection("branches", branches)}`,
    );
  const marker = asked ? undefined : deployOn.skip_markers.find((text) => push.message?.includes(text));
  if (marker !== undefined)
    return ignored("skip_marker", `The message of the last commit contains ${marker}.`);
  return decidePaths(deployOn, push, live);
}

function decidePaths(
  { paths: counting, ignore_paths: ignoredPaths }: DeployOn,
  { before, paths }: Push,
  live: LiveCode,
): PushDecision {
  if (counting === null && ignoredPaths.length === 0)
    return { decision: "deployed", reason: null, detail: null };
  if (paths === null)
    return {
      decision: "deployed",
      reason: "paths_incomplete",
      detail: "The paths did not decide, because the git host does not list all changed files.",
    };
  const isLive = before !== null && (before === live.commit || live.sameAs.has(before));
  if (!isLive)
    return {
      decision: "deployed",
      reason: "paths_not_comparable",
      detail: "The paths did not decide, because the push does not start at the live commit.",
    };
  const counts = counting === null ? () => true : selectsPath(counting);
  const isIgnored = selectsPath(ignoredPaths);
  const changed = paths.find((path) => counts(path) && !isIgnored(path));
  if (changed !== undefined) return { decision: "deployed", reason: null, detail: null };
  const files =
    paths.length === 1 ? `The changed file ${paths[0]} does` : `The ${paths.length} changed files do`;
  return ignored("paths_unchanged", `${files} not count according to the project's paths.`);
}

function ignored(
  reason: Extract<PushDecision, { decision: "ignored" }>["reason"],
  detail: string,
): PushDecision {
  return { decision: "ignored", reason, detail };
}

function selection(what: "branches" | "tags", patterns: readonly string[]): string {
  return patterns.length === 0
    ? `The project deploys no ${what}.`
    : `The project deploys ${patterns.join(", ")}.`;
}
