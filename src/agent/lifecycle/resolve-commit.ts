import { rm } from "node:fs/promises";
import { join } from "node:path";

import { fetchCommitAlone, fetchGraph, removePromisor } from "#agent/git/commands/commit-graph.ts";
import { type GitPlace, TIP } from "#agent/git/commands/git.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { checkSource } from "#agent/policy/check-policy.ts";
import { type CommitReach, decideReach } from "#agent/policy/commit-reach.ts";
import { decideWanted, findRef, type Wanted } from "#agent/git/mirror/fetch-commit.ts";
import { createGitRunner, type GitRunner } from "#agent/git/mirror/git-runner.ts";
import {
  explainRemote,
  type FetchedCommit,
  findCommit,
  formatOf,
  type Origin,
  prepareMirror,
} from "#agent/git/mirror/mirror-steps.ts";
import { openOrigin } from "#agent/git/mirror/open-origin.ts";
import { readingMarker } from "#agent/git/mirror/reading-marker.ts";
import { resolveReachable } from "#agent/git/mirror/reachable-commit.ts";
import { resolveImage } from "#agent/images/read-outside-run.ts";
import { hideSecrets, scopeOutsideRun } from "#agent/step/run-scope.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import { fail, failUnexpectedly, type Step } from "#agent/step/step.ts";
import { openAddress } from "#agent/secrets/open-address.ts";
import { createTestFolder, removeLogins } from "#agent/git/ssh/ssh-folder.ts";
import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { head } from "#build/failure/make-failure.ts";
import type { CommitResolution } from "#contract/agent-answers.ts";
import type { AgentRequestOf } from "#contract/agent-requests.ts";
import { MAX_COMMIT_MESSAGE } from "#contract/git-names.ts";
import { succeed } from "#contract/lib/result.ts";
import { createMask } from "#contract/mask.ts";

type Request = AgentRequestOf<"resolve_commit">;
type Commit = { readonly sha: string; readonly message: string };

/**
 * Finds the commit that a run with this source would deploy now, and its message, with the credentials of a deployment
 * and within the policy. It fetches no files, into a repository that is deleted afterwards: a run may be using the
 * project's mirror.
 * @returns null if it was stopped. Never throws.
 */
export async function resolveCommit(
  context: AgentContext,
  request: Request,
  stopped: AbortSignal,
): Promise<CommitResolution | null> {
  const found = await findCommitOf(context, request, stopped).catch((error: unknown) =>
    failUnexpectedly(error, "fetch"),
  );
  if (found.ok) return { ok: true, commit_sha: found.value.sha, commit_message: found.value.message };
  return found.end.kind === "failed" ? { ok: false, failure: found.end.failure } : null;
}

async function findCommitOf(
  context: AgentContext,
  request: Request,
  stopped: AbortSignal,
): Promise<Step<Commit>> {
  const { project_id, project_name, source, token, timeout_seconds } = request;
  const opened = await openAddress(context, { project_id, repository: source.repository, token });
  if (!opened.ok) return fail("secrets_unreadable", "fetch", opened.message);
  const { repository } = opened;
  const refusal = checkSource(context, { ...source, repository, was_live: false });
  if (refusal !== null) return fail("refused_by_policy", "fetch", refusal);
  if (isImageRepository(repository)) return resolveImage(context, request, opened, stopped);

  const marker = readingMarker(context, "resolve");
  const limit = startLimit(timeout_seconds, { signal: stopped });
  const folder = await createTestFolder(context.home);
  try {
    const noLedger = { opened: () => undefined, closed: () => undefined };
    const outside = scopeOutsideRun(context, project_id, marker, noLedger);
    const scope = hideSecrets({ ...outside, mask: createMask(repository) }, opened.secrets);
    const git = createGitRunner(scope, limit);
    const reader = { context, project: { id: project_id, name: project_name }, marker, branch: null };
    const mirrors = { sha1: join(folder, "sha1.git"), sha256: join(folder, "sha256.git") };
    const origin = await openOrigin(reader, repository, mirrors);
    if (!origin.ok) return origin;
    const wanted = decideWanted(source.branch, source.commit);
    const reach = decideReach(context.policy, { ...source, was_live: false }, null);
    const commit =
      wanted.kind === "ref"
        ? await readRef(git, origin.value, wanted.name)
        : await readHash(git, origin.value, { wanted, reach, folder });
    if (!commit.ok) return commit;
    const { sha, message } = commit.value;
    return succeed({ sha, message: head(scope.mask(message), MAX_COMMIT_MESSAGE) });
  } finally {
    limit.clear();
    await rm(folder, { recursive: true, force: true });
    await removeLogins(context.home, marker);
  }
}

/** The commit of a branch or tag. */
async function readRef(git: GitRunner, origin: Origin, name: string): Promise<Step<FetchedCommit>> {
  const found = await findRef(git, origin, name);
  if (!found.ok) return found;
  const { ref, sha } = found.value;
  const place = await prepareMirror(git, origin, formatOf(sha));
  if (!place.ok) return place;
  const fetched = await git.run(fetchCommitAlone(place.value, ref));
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0)
    return explainRemote(git, origin, fetched.value, `fetching \`${name}\` of ${origin.shown} failed`);
  const commit = await findCommit(git, place.value, TIP);
  if (!commit.ok) return commit;
  return commit.value === null
    ? fail("ref_not_found", "fetch", `\`${name}\` in ${origin.shown} does not point to a commit`)
    : succeed(commit.value);
}

type ByHash = {
  readonly wanted: Exclude<Wanted, { readonly kind: "ref" }>;
  readonly reach: CommitReach;
  readonly folder: string;
};

/** The commit with a full or abbreviated hash, which must be where the project's setting and the policy require. */
async function readHash(
  git: GitRunner,
  origin: Origin,
  { wanted, reach, folder }: ByHash,
): Promise<Step<FetchedCommit>> {
  if (reach.kind === "refused") return fail(reach.code, "fetch", reach.message);
  const full =
    wanted.kind === "full" && reach.kind === "anywhere"
      ? succeed(wanted)
      : await resolveReachable(git, origin, wanted, reach.kind === "within" ? reach : anyBranch, folder);
  if (!full.ok) return full;
  const name = nameOf(full.value);
  const place = await prepareMirror(git, origin, formatOf(name));
  if (!place.ok) return place;
  const fetched = await git.run(fetchCommitAlone(place.value, name), "probe");
  if (!fetched.ok) return fetched;
  // Many servers only send branches and tags.
  const isFetched = fetched.value.code === 0 ? succeed(null) : await fetchHistory(git, origin, place.value);
  if (!isFetched.ok) return isFetched;
  const commit = await findCommit(git, place.value, name);
  if (!commit.ok) return commit;
  return commit.value === null
    ? fail("ref_not_found", "fetch", `there is no commit ${name} in ${origin.shown}`)
    : succeed(commit.value);
}

const anyBranch = {
  kind: "within",
  branch: null,
  counts: () => true,
  mayBeOlder: true,
  code: "ref_not_found",
  message: (commit, repository) => `${commit} is not the short hash of exactly one commit in ${repository}`,
} as const satisfies CommitReach;

function nameOf(wanted: Wanted): string {
  switch (wanted.kind) {
    case "ref":
      return wanted.name;
    case "full":
      return wanted.sha;
    case "short":
      return wanted.prefix;
  }
}

async function fetchHistory(git: GitRunner, origin: Origin, place: GitPlace): Promise<Step<null>> {
  const fetched = await git.run(fetchGraph(place, null), "probe");
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0)
    return explainRemote(git, origin, fetched.value, `fetching the history of ${origin.shown} failed`);
  const removed = await git.run(removePromisor(place), "probe");
  return removed.ok ? succeed(null) : removed;
}
