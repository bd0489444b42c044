import { fetchTip, listChanges, TIP } from "#agent/git/commands/git.ts";
import { errorLine } from "#agent/git/commands/read-git-output.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { checkBranch, checkRepository } from "#agent/policy/check-policy.ts";
import { createGitRunner, type GitRunner } from "#agent/git/mirror/git-runner.ts";
import { type FetchedCommit, findCommit, formatOf, prepareMirror } from "#agent/git/mirror/mirror-steps.ts";
import { openOrigin } from "#agent/git/mirror/open-origin.ts";
import { readingMarker } from "#agent/git/mirror/reading-marker.ts";
import { hideSecrets, scopeOutsideRun } from "#agent/step/run-scope.ts";
import { readImageTip } from "#agent/images/read-outside-run.ts";
import { startLimit } from "#agent/step/stage-limit.ts";
import type { RunEnd } from "#agent/step/step.ts";
import { openAddress } from "#agent/secrets/open-address.ts";
import { removeLogins } from "#agent/git/ssh/ssh-folder.ts";
import { readMirror } from "#agent/git/mirror/mirror.ts";
import type { Tip, TipReading } from "#agent/watch/tip.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";
import { isImageRepository } from "#contract/addresses/repository-address.ts";
import { head } from "#build/failure/make-failure.ts";
import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { MAX_PUSHED_PATHS, TipMoved, type WatchedBranch } from "#contract/agent-watch.ts";
import { maskUrlSecret, MAX_COMMIT_MESSAGE } from "#contract/git-names.ts";
import { createMask } from "#contract/mask.ts";

/**
 * The most that the names of files may take as JSON, in UTF-16 code units: a part of what a message may. A message that is
 * too long closes the link of the whole server, again and again, because the branch would be read and reported again.
 */
const MAX_PATHS_LENGTH = MAX_LINK_MESSAGE / 8;
/** A fetch that takes longer is stopped, and counts as failed. */
const LONGEST_SECONDS = 120;

/**
 * Fetches the branch into the project's mirror, with the credentials of a deployment and within the policy. git asks only
 * for this one ref, and a deployment of the commit fetches nothing more. The caller must have the project's turn.
 */
export async function readTip(
  context: AgentContext,
  watched: WatchedBranch,
  stopped: AbortSignal,
): Promise<TipReading> {
  const { project_id, branch, known_sha } = watched;
  const folder = projectFolder(context.home, project_id);
  const opened = await openAddress(context, watched);
  if (!opened.ok) return { kind: "failed", message: opened.message };
  const { repository } = opened;
  if (isImageRepository(repository)) {
    const within = startLimit(LONGEST_SECONDS, { signal: stopped });
    const tip = await readImageTip(context, watched, opened, within.signal);
    within.clear();
    return tip;
  }
  const format = formatOf(known_sha);
  if (!(await readMirror(folder.mirrors[format], repository)).exists) return { kind: "none" };
  const refusal = checkRepository(context, repository) ?? checkBranch(context.policy, branch);
  if (refusal !== null) return { kind: "failed", message: refusal };

  const marker = readingMarker(context, "watch");
  const limit = startLimit(LONGEST_SECONDS, { signal: stopped });
  try {
    const noLedger = { opened: () => undefined, closed: () => undefined };
    const outside = scopeOutsideRun(context, project_id, marker, noLedger);
    const scope = hideSecrets({ ...outside, mask: createMask(repository) }, opened.secrets);
    const git = createGitRunner(scope, limit);
    const reader = { context, project: { id: project_id, name: watched.project_name }, marker, branch: null };
    const origin = await openOrigin(reader, repository, folder.mirrors);
    if (!origin.ok) return failed(origin.end);
    const place = await prepareMirror(git, origin.value, format);
    if (!place.ok) return failed(place.end);
    const { isComplete } = await readMirror(place.value.gitDir, repository);
    const fetched = await git.run(fetchTip(place.value, `refs/heads/${branch}`, !isComplete), "probe");
    if (!fetched.ok) return failed(fetched.end);
    if (fetched.value.code !== 0) {
      const line = errorLine(fetched.value.ran.stderrTail);
      return { kind: "failed", message: line === "" ? "git fetch failed" : line };
    }
    const commit = await findCommit(git, place.value, TIP);
    if (!commit.ok) return failed(commit.end);
    if (commit.value === null) return { kind: "failed", message: `\`${branch}\` is no commit` };
    const { sha } = commit.value;
    const message = head(scope.mask(commit.value.message), MAX_COMMIT_MESSAGE);
    const paths = sha === known_sha ? [] : await changedPaths(git, commit.value, known_sha);
    return limit.signal.aborted ? { kind: "stopped" } : { kind: "read", tip: { sha, message, paths } };
  } finally {
    limit.clear();
    await removeLogins(context.home, marker);
  }
}

function failed(end: RunEnd): TipReading {
  return end.kind === "interrupted"
    ? { kind: "stopped" }
    : { kind: "failed", message: maskUrlSecret(end.failure.message) };
}

/** The known commit may be gone from the mirror, or have another history. */
async function changedPaths(
  git: GitRunner,
  { place, sha }: FetchedCommit,
  before: string,
): Promise<Tip["paths"]> {
  const listed = await git.run(listChanges(place, before, sha), "probe");
  if (!listed.ok || listed.value.code !== 0) return null;
  const paths = listed.value.stdout.split("\0").filter((path) => path !== "");
  const isSendable = TipMoved.shape.paths.safeParse(paths).success;
  const isShort = paths.length <= MAX_PUSHED_PATHS && JSON.stringify(paths).length <= MAX_PATHS_LENGTH;
  return isSendable && isShort ? paths : null;
}
