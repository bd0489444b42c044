import { fetchTip, type GitPlace, listBranches, listRefs, TIP } from "#agent/git/commands/git.ts";
import { chooseRef, isRefMissing, readRefs, type RemoteRef } from "#agent/git/commands/read-git-output.ts";
import {
  adviseBranch,
  adviseOtherBranch,
  readRemoteBranches,
  setBranch,
} from "#agent/git/commands/remote-branches.ts";
import { readRemoteFailure } from "#agent/git/commands/remote-failure.ts";
import type { GitRunner } from "#agent/git/mirror/git-runner.ts";
import {
  discardDamaged,
  explainRemote,
  fetchEverything,
  type FetchedCommit,
  findCommit,
  formatInUse,
  formatOf,
  type InMirror,
  type Origin,
  prepareMirror,
} from "#agent/git/mirror/mirror-steps.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { readMirror } from "#agent/git/mirror/mirror.ts";
import { succeed } from "#contract/lib/result.ts";

/** The commit to fetch: the tip of a branch or tag, a full hash, or a short hash. */
export type Wanted =
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "full"; readonly sha: string }
  | { readonly kind: "short"; readonly prefix: string };

/** @param commit a full or short hash, in any case; `null` for the tip of the branch or tag */
export function decideWanted(branch: string, commit: string | null): Wanted {
  if (commit === null) return { kind: "ref", name: branch };
  const hash = commit.toLowerCase();
  return hash.length === 40 || hash.length === 64
    ? { kind: "full", sha: hash }
    : { kind: "short", prefix: hash };
}

/**
 * Fetches the commit into the mirror, with as little else as possible. A damaged mirror, for example after a power
 * cut, is fetched again from scratch.
 */
export async function fetchCommit(git: GitRunner, origin: Origin, wanted: Wanted): Promise<Step<InMirror>> {
  const first = await fetchOnce(git, origin, wanted);
  if (first.ok || first.end.kind !== "failed" || first.end.failure.code !== "fetch_failed") return first;
  const startedAt = origin.now();
  const discarded = await discardDamaged(git, origin);
  if (!discarded.ok) return discarded;
  if (!discarded.value) return first;
  git.logStep("the mirror was damaged: fetching it again", startedAt);
  return fetchOnce(git, origin, wanted);
}

async function fetchOnce(git: GitRunner, origin: Origin, wanted: Wanted): Promise<Step<InMirror>> {
  switch (wanted.kind) {
    case "ref":
      return fetchRef(git, origin, wanted.name);
    case "full":
      return fetchFull(git, origin, wanted.sha);
    case "short":
      return fetchShort(git, origin, wanted.prefix);
  }
}

/**
 * Fetches the branch of this name, or else the tag, by its ref alone: a list of refs would contain all branches and tags.
 * They are listed only if git fails for another reason than the connection.
 */
async function fetchRef(git: GitRunner, origin: Origin, name: string): Promise<Step<InMirror>> {
  const startedAt = origin.now();
  const place = await prepareMirror(git, origin, await formatInUse(origin));
  if (!place.ok) return place;
  for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`]) {
    const fetched = await fetchOne(git, origin, place.value, ref, "probe");
    if (!fetched.ok) return fetched;
    const { code, ran } = fetched.value;
    if (code !== 0 && isRefMissing(ran.stderrTail)) continue;
    // A git that was killed (its code is negative) has refused nothing.
    if (code > 0 && readRemoteFailure(ran.stderrTail).kind === "other") break;
    git.logErrors(fetched.value);
    if (code !== 0)
      return explainRemote(git, origin, fetched.value, `fetching \`${name}\` of ${origin.shown} failed`);
    return succeed(atTip(git, origin, place.value, name, startedAt));
  }
  return fetchListedRef(git, origin, name);
}

/** Lists the branch of this name, or else the tag. */
export async function findRef(git: GitRunner, origin: Origin, name: string): Promise<Step<RemoteRef>> {
  const sha1Place = await prepareMirror(git, origin, "sha1");
  if (!sha1Place.ok) return sha1Place;
  const refs = [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`];
  const listed = await listRemoteRefs(git, origin, sha1Place.value, refs);
  if (!listed.ok) return listed;
  const chosen = chooseRef(listed.value, name);
  return chosen === null ? explainMissing(git, origin, sha1Place.value, name) : succeed(chosen);
}

/** Why there is no such branch or tag: the remote is empty, or has another default branch. */
export async function explainMissing(
  git: GitRunner,
  origin: Origin,
  place: GitPlace,
  name: string,
): Promise<Step<never>> {
  const listed = await git.run(listBranches(place));
  if (!listed.ok) return listed;
  if (listed.value.code !== 0)
    return explainRemote(git, origin, listed.value, `reading the branches of ${origin.shown} failed`);
  const branches = readRemoteBranches(listed.value.stdout);
  const what = `there is no branch or tag \`${name}\` in ${origin.shown}`;
  const { projectName, projectBranch } = origin;
  const isOther = projectBranch !== null && projectBranch !== name && branches.names.includes(projectBranch);
  const advice = isOther
    ? adviseOtherBranch(branches, projectBranch)
    : adviseBranch(
        branches,
        name,
        projectBranch === name ? setBranch(projectName) : "gantry deploy --branch",
      );
  return notFound(branches.isEmpty ? `${what}, which is empty` : `${what}. ${advice}`);
}

/** As `fetchRef`, with the hash format and the kind of ref that the remote's list shows. */
async function fetchListedRef(git: GitRunner, origin: Origin, name: string): Promise<Step<InMirror>> {
  const startedAt = origin.now();
  const found = await findRef(git, origin, name);
  if (!found.ok) return found;
  const { ref, sha } = found.value;
  const place = await prepareMirror(git, origin, formatOf(sha));
  if (!place.ok) return place;
  const fetched = await fetchOne(git, origin, place.value, ref);
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0)
    return explainRemote(git, origin, fetched.value, `fetching \`${name}\` of ${origin.shown} failed`);
  return succeed(atTip(git, origin, place.value, name, startedAt));
}

/** The branch or tag that was just fetched. */
function atTip(
  git: GitRunner,
  { shown, now }: Origin,
  place: GitPlace,
  name: string,
  startedAt: number,
): InMirror {
  const fetchedAt = now();
  const commit = findCommit(git, place, TIP).then((found): Step<FetchedCommit> => {
    if (!found.ok) return found;
    if (found.value === null) return notFound(`\`${name}\` in ${shown} does not point to a commit`);
    // Does not count the time of reading the commit, because other work runs at the same time.
    git.logStep(`\`${name}\` of ${shown} is at ${short(found.value.sha)}`, startedAt + now() - fetchedAt);
    return succeed(found.value);
  });
  return { place, name: TIP, commit };
}

async function fetchFull(git: GitRunner, origin: Origin, sha: string): Promise<Step<InMirror>> {
  const place = await prepareMirror(git, origin, formatOf(sha));
  if (!place.ok) return place;
  const present = await findCommit(git, place.value, sha);
  if (!present.ok) return present;
  if (present.value !== null) return succeed(known(present.value));

  const startedAt = origin.now();
  const fetched = await fetchOne(git, origin, place.value, sha, "probe");
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0) {
    // Many servers only send branches and tags: the commit may be in the history of one of them.
    const all = await fetchEverything(git, origin, place.value);
    if (!all.ok) return all;
  }
  const commit = await findCommit(git, place.value, sha);
  if (!commit.ok) return commit;
  if (commit.value === null) return notFound(`there is no commit ${sha} in ${origin.shown}`);
  git.logStep(`fetched ${short(sha)} of ${origin.shown}`, startedAt);
  return succeed(known(commit.value));
}

function known(commit: FetchedCommit): InMirror {
  return { place: commit.place, name: commit.sha, commit: Promise.resolve(succeed(commit)) };
}

async function fetchShort(git: GitRunner, origin: Origin, prefix: string): Promise<Step<InMirror>> {
  const sha1Place = await prepareMirror(git, origin, "sha1");
  if (!sha1Place.ok) return sha1Place;
  if ((await readMirror(sha1Place.value.gitDir, origin.repository)).isComplete) {
    const present = await findCommit(git, sha1Place.value, prefix);
    if (!present.ok) return present;
    if (present.value !== null) return succeed(known(present.value));
  }
  const refs = await listRemoteRefs(git, origin, sha1Place.value, []);
  if (!refs.ok) return refs;
  const [first] = refs.value;
  if (first === undefined) return notFound(`there is no commit ${prefix} in ${origin.shown}, which is empty`);
  const place = await prepareMirror(git, origin, formatOf(first.sha));
  if (!place.ok) return place;
  const all = await fetchEverything(git, origin, place.value);
  if (!all.ok) return all;
  const commit = await findCommit(git, place.value, prefix);
  if (!commit.ok) return commit;
  if (commit.value === null)
    return notFound(`${prefix} is not the short hash of exactly one commit in ${origin.shown}`);
  return succeed(known(commit.value));
}

/** @returns the named refs that exist on the remote; all of its refs when no name is given */
async function listRemoteRefs(
  git: GitRunner,
  origin: Origin,
  place: GitPlace,
  names: readonly string[],
): Promise<Step<readonly RemoteRef[]>> {
  const listed = await git.run(listRefs(place, names));
  if (!listed.ok) return listed;
  switch (listed.value.code) {
    case 0:
      return succeed(readRefs(listed.value.stdout));
    case 2:
      return succeed([]);
    default:
      return explainRemote(git, origin, listed.value, `reading the branches of ${origin.shown} failed`);
  }
}

async function fetchOne(git: GitRunner, origin: Origin, place: GitPlace, from: string, manner?: "probe") {
  const { isComplete } = await readMirror(place.gitDir, origin.repository);
  return git.run(fetchTip(place, from, !isComplete), manner);
}

function short(sha: string): string {
  return sha.slice(0, 12);
}

function notFound(message: string): Step<never> {
  return fail("ref_not_found", "fetch", message);
}
