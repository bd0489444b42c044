import { mkdir } from "node:fs/promises";

import { decideReach } from "#agent/policy/commit-reach.ts";
import { decideWanted, fetchCommit, type Wanted } from "#agent/git/mirror/fetch-commit.ts";
import { createGitRunner, type GitRunner } from "#agent/git/mirror/git-runner.ts";
import type { FetchedCommit, Origin } from "#agent/git/mirror/mirror-steps.ts";
import { logNewHostKeys, openOrigin, readerOf } from "#agent/git/mirror/open-origin.ts";
import { resolveReachable } from "#agent/git/mirror/reachable-commit.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { head } from "#build/failure/make-failure.ts";
import { type WrittenCommit, writeTree } from "#agent/run/fetch/write-tree.ts";
import { removeLogins } from "#agent/git/ssh/ssh-folder.ts";
import { liveBranchOf } from "#agent/workspace/live-commits.ts";
import { removeAllGitLeftovers } from "#agent/git/mirror/mirror.ts";
import { releasePath, removeRelease } from "#agent/workspace/releases.ts";
import { MAX_COMMIT_MESSAGE } from "#contract/git-names.ts";
import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { fetchImage } from "#agent/run/image/fetch-image.ts";
import { succeed } from "#contract/lib/result.ts";

/** What a release is made from: the hash of a commit, or the digest of an image. */
export type FetchedSource = Pick<WrittenCommit, "sha" | "message" | "indexBytes"> & {
  readonly tree?: string;
};

/** Fetches the ordered commit and writes its files into `releases/<version>`, or gets the ordered image. */
export async function fetchRelease(scope: RunScope): Promise<Step<FetchedSource>> {
  if (isImageRepository(scope.order.source.repository)) return fetchImage(scope);
  const fetched = await fetchAndWrite(scope);
  // An incomplete pack may have filled the disk.
  if (!fetched.ok) await removeAllGitLeftovers(scope.folder);
  return fetched;
}

async function fetchAndWrite(scope: RunScope): Promise<Step<WrittenCommit>> {
  const { order, folder } = scope;
  // Remove the leftovers of an earlier try of this version.
  await removeRelease(folder, order.version);
  await mkdir(folder.temp, { recursive: true });
  await mkdir(folder.mirrors.modules, { recursive: true });

  const limit = startLimit(order.timeouts.fetch_seconds, scope.interrupt);
  try {
    const git = createGitRunner(scope, limit);
    const opened = await openOrigin(readerOf(scope), order.source.repository, folder.mirrors);
    if (!opened.ok) return opened;
    const origin = opened.value;
    const wanted = await decidePermitted(scope, git, origin);
    const fetched = wanted.ok ? await fetchCommit(git, origin, wanted.value) : wanted;
    await logNewHostKeys(scope, origin);
    if (!fetched.ok) return fetched;
    const release = releasePath(folder, order.version);
    await mkdir(release, { recursive: true });
    const commit = fetched.value.commit.then((found) => {
      if (found.ok) reportCommit(scope, found.value);
      return found;
    });
    return await writeTree({ git, scope }, origin, { ...fetched.value, commit }, release);
  } finally {
    limit.clear();
    await removeLogins(scope.context.home, order.run_id);
  }
}

function reportCommit({ mask, reporter }: RunScope, { sha, message }: FetchedCommit): void {
  const commit_message = head(mask(message), MAX_COMMIT_MESSAGE);
  reporter.report({ type: "resolved", commit_sha: sha, commit_message }, "patient");
}

/** Decides what to fetch. A commit that is ordered by its hash must be in a branch or tag that counts. */
async function decidePermitted(scope: RunScope, git: GitRunner, origin: Origin): Promise<Step<Wanted>> {
  const { order, folder, context } = scope;
  const wanted = decideWanted(order.source.branch, order.source.commit);
  if (wanted.kind === "ref") return succeed(wanted);
  const recordedBranch = wanted.kind === "full" ? await liveBranchOf(folder, wanted.sha) : null;
  const reach = decideReach(context.policy, order.source, recordedBranch);
  switch (reach.kind) {
    case "anywhere":
      return succeed(wanted);
    case "refused":
      return fail(reach.code, "fetch", reach.message);
    case "within":
      return resolveReachable(git, origin, wanted, reach, folder.temp);
  }
}
