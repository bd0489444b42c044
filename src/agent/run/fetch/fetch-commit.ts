import { fetchTip, type GitPlace, listRefs, TIP } from "#agent/commands/git.ts";
import { chooseRef, readRefs, type RemoteRef } from "#agent/commands/read-git-output.ts";
import type { GitRunner } from "#agent/run/fetch/git-runner.ts";
import {
  cwdOf,
  discardDamaged,
  fetchEverything,
  type FetchedCommit,
  findCommit,
  formatOf,
  type Origin,
  prepareMirror,
} from "#agent/run/fetch/mirror-steps.ts";
import { fail, type Step } from "#agent/run/step/step.ts";
import { readMirror } from "#agent/workspace/mirror.ts";
import { succeed } from "#contract/lib/result.ts";

/** Which commit is wanted: where a branch or tag stands now, a full hash, or the beginning of one. */
export type Wanted =
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "full"; readonly sha: string }
  | { readonly kind: "short"; readonly prefix: string };

/** @param commit a hash or the beginning of one, in any case; null: where the branch or tag stands */
export function decideWanted(branch: string, commit: string | null): Wanted {
  if (commit === null) return { kind: "ref", name: branch };
  const hash = commit.toLowerCase();
  return hash.length === 40 || hash.length === 64
    ? { kind: "full", sha: hash }
    : { kind: "short", prefix: hash };
}

/**
 * Brings the wanted commit into the mirror, with as little of the rest as it can.
 * A mirror that turns out to be damaged, as after a power cut, is made anew.
 */
export async function fetchCommit(
  git: GitRunner,
  origin: Origin,
  wanted: Wanted,
): Promise<Step<FetchedCommit>> {
  const first = await fetchOnce(git, origin, wanted);
  if (first.ok || first.end.kind !== "failed" || first.end.failure.code !== "fetch_failed") return first;
  const startedAt = origin.now();
  const discarded = await discardDamaged(git, origin);
  if (!discarded.ok) return discarded;
  if (!discarded.value) return first;
  git.note("the mirror was damaged: fetching it anew", startedAt);
  return fetchOnce(git, origin, wanted);
}

async function fetchOnce(git: GitRunner, origin: Origin, wanted: Wanted): Promise<Step<FetchedCommit>> {
  switch (wanted.kind) {
    case "ref":
      return fetchRef(git, origin, wanted.name);
    case "full":
      return fetchFull(git, origin, wanted.sha);
    case "short":
      return fetchShort(git, origin, wanted.prefix);
  }
}

async function fetchRef(git: GitRunner, origin: Origin, name: string): Promise<Step<FetchedCommit>> {
  const startedAt = origin.now();
  const asking = await prepareMirror(git, origin, "sha1");
  if (!asking.ok) return asking;
  const refs = [`refs/heads/${name}`, `refs/tags/${name}`, `refs/tags/${name}^{}`];
  const listed = await askRemote(git, origin, asking.value, refs);
  if (!listed.ok) return listed;
  const chosen = chooseRef(listed.value, name);
  if (chosen === null) {
    const all = await askRemote(git, origin, asking.value, []);
    if (!all.ok) return all;
    const why = all.value.length === 0 ? ", which is empty" : "";
    return notFound(`there is no branch or tag \`${name}\` in ${origin.shown}${why}`);
  }
  git.note(`\`${name}\` of ${origin.shown} is at ${short(chosen.sha)}`, startedAt);

  const place = await prepareMirror(git, origin, formatOf(chosen.sha));
  if (!place.ok) return place;
  const held = await findCommit(git, place.value, chosen.sha);
  if (!held.ok) return held;
  if (held.value !== null) return succeed(held.value);

  const fetchedFrom = origin.now();
  const fetched = await fetchOne(git, origin, place.value, chosen.ref);
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0)
    return git.explain(fetched.value, `fetching \`${name}\` of ${origin.shown} failed`);
  // The branch may have moved since it was looked up: what came is what is deployed.
  const commit = await findCommit(git, place.value, TIP);
  if (!commit.ok) return commit;
  if (commit.value === null) return notFound(`\`${name}\` in ${origin.shown} does not stand for a commit`);
  git.note(`fetched ${short(commit.value.sha)}`, fetchedFrom);
  return succeed(commit.value);
}

async function fetchFull(git: GitRunner, origin: Origin, sha: string): Promise<Step<FetchedCommit>> {
  const place = await prepareMirror(git, origin, formatOf(sha));
  if (!place.ok) return place;
  const held = await findCommit(git, place.value, sha);
  if (!held.ok) return held;
  if (held.value !== null) return succeed(held.value);

  const startedAt = origin.now();
  const fetched = await fetchOne(git, origin, place.value, sha, "probe");
  if (!fetched.ok) return fetched;
  if (fetched.value.code !== 0) {
    // Many servers hand out nothing but branches and tags: the commit may be in the history of one.
    const all = await fetchEverything(git, origin, place.value);
    if (!all.ok) return all;
  }
  const commit = await findCommit(git, place.value, sha);
  if (!commit.ok) return commit;
  if (commit.value === null) return notFound(`there is no commit ${sha} in ${origin.shown}`);
  git.note(`fetched ${short(sha)} of ${origin.shown}`, startedAt);
  return succeed(commit.value);
}

async function fetchShort(git: GitRunner, origin: Origin, prefix: string): Promise<Step<FetchedCommit>> {
  const asking = await prepareMirror(git, origin, "sha1");
  if (!asking.ok) return asking;
  if ((await readMirror(asking.value.gitDir, origin.repository)).isComplete) {
    const held = await findCommit(git, asking.value, prefix);
    if (!held.ok) return held;
    if (held.value !== null) return succeed(held.value);
  }
  const refs = await askRemote(git, origin, asking.value, []);
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
    return notFound(`${prefix} is not the beginning of exactly one commit in ${origin.shown}`);
  return succeed(commit.value);
}

/** @returns those of the named refs that the remote has; all of its refs when none is named */
async function askRemote(
  git: GitRunner,
  origin: Origin,
  place: GitPlace,
  names: readonly string[],
): Promise<Step<readonly RemoteRef[]>> {
  const listed = await git.run(listRefs(place, cwdOf(place), names));
  if (!listed.ok) return listed;
  switch (listed.value.code) {
    case 0:
      return succeed(readRefs(listed.value.stdout));
    case 2:
      return succeed([]);
    default:
      return git.explain(listed.value, `reading the branches of ${origin.shown} failed`);
  }
}

async function fetchOne(git: GitRunner, origin: Origin, place: GitPlace, from: string, manner?: "probe") {
  const { isComplete } = await readMirror(place.gitDir, origin.repository);
  return git.run(fetchTip(place, cwdOf(place), from, !isComplete), manner);
}

function short(sha: string): string {
  return sha.slice(0, 12);
}

function notFound(message: string): Step<never> {
  return fail("ref_not_found", "fetch", message);
}
