import { rm } from "node:fs/promises";
import { join } from "node:path";

import {
  fetchGraph,
  removePromisor,
  listCommits,
  listGraphRefs,
  listObjects,
  mergeBase,
} from "#agent/git/commands/commit-graph.ts";
import { FETCHED_REFS, type GitPlace, listRefs } from "#agent/git/commands/git.ts";
import { chooseRef, readRefs, type RemoteRef } from "#agent/git/commands/read-git-output.ts";
import type { CommitReach } from "#agent/policy/commit-reach.ts";
import { explainMissing, type Wanted } from "#agent/git/mirror/fetch-commit.ts";
import type { GitRunner } from "#agent/git/mirror/git-runner.ts";
import { explainRemote, formatOf, type Origin, prepareMirror } from "#agent/git/mirror/mirror-steps.ts";
import { fail, type Step } from "#agent/step/step.ts";
import type { Command } from "#build/process/command.ts";
import { succeed } from "#contract/lib/result.ts";

type Within = Extract<CommitReach, { readonly kind: "within" }>;
type ByHash = Exclude<Wanted, { readonly kind: "ref" }>;

/** Enough for a recently pushed commit, and small in a repository of any size. */
const RECENT_COMMITS = 500;
/** A short hash that matches more objects is treated as not found. */
const MAX_CANDIDATES = 64;
/** The limit of names or hashes in one command line, which the system limits to 2 MiB. */
const MAX_ARGUMENT_BYTES = 256 * 1024;

/**
 * Checks that a branch or tag that counts contains the commit on the remote now. The mirror does not prove this,
 * because it may have commits of a branch that was removed.
 * The tips are checked first, which takes one request. Then the recent history is fetched, and finally all of it:
 * only commits, into a repository that is deleted afterwards.
 * @returns the commit's full hash
 */
export async function resolveReachable(
  git: GitRunner,
  origin: Origin,
  wanted: ByHash,
  reach: Within,
  temp: string,
): Promise<Step<Wanted>> {
  const startedAt = origin.now();
  const name = wanted.kind === "full" ? wanted.sha : wanted.prefix;
  const tips = await listTips(git, origin, reach, name);
  if (!tips.ok) return tips;
  const tip = wanted.kind === "full" ? commitAtTip(tips.value.counted, wanted.sha) : null;
  if (tip !== null) return succeed({ kind: "full", sha: tip });
  if (!reach.mayBeOlder) return fail(reach.code, "fetch", reach.message(name, origin.shown));

  const gitDir = join(temp, "graph.git");
  const graphOrigin: Origin = { ...origin, mirrors: { sha1: gitDir, sha256: gitDir } };
  try {
    await rm(gitDir, { recursive: true, force: true });
    const place = await prepareMirror(git, graphOrigin, tips.value.format);
    if (!place.ok) return place;
    // Only the complete history shows whether a short hash is unique.
    for (const depth of wanted.kind === "full" ? [RECENT_COMMITS, null] : [null]) {
      const found = await searchGraph(git, graphOrigin, place.value, { name, reach, depth });
      if (!found.ok) return found;
      const [first, second] = found.value;
      if (second !== undefined)
        return fail(
          "ref_not_found",
          "fetch",
          `${name} is the short hash of several commits of ${origin.shown}`,
        );
      if (first === undefined) continue;
      git.logStep(`found ${first.slice(0, 12)} in the history of ${origin.shown}`, startedAt);
      return succeed({ kind: "full", sha: first });
    }
    return fail(reach.code, "fetch", reach.message(name, origin.shown));
  } finally {
    await rm(gitDir, { recursive: true, force: true });
  }
}

type Tips = { readonly counted: readonly RemoteRef[]; readonly format: "sha1" | "sha256" };

/** Lists the remote's branches and tags that count. */
async function listTips(git: GitRunner, origin: Origin, reach: Within, name: string): Promise<Step<Tips>> {
  const place = await prepareMirror(git, origin, "sha1");
  if (!place.ok) return place;
  const listed = await git.run(listRefs(place.value, []));
  if (!listed.ok) return listed;
  if (listed.value.code !== 0 && listed.value.code !== 2)
    return explainRemote(git, origin, listed.value, `reading the branches of ${origin.shown} failed`);
  const refs = readRefs(listed.value.stdout);
  const [first] = refs;
  if (first === undefined)
    return fail("ref_not_found", "fetch", `there is no commit ${name} in ${origin.shown}, which is empty`);
  const { branch } = reach;
  if (branch !== null && chooseRef(refs, branch) === null)
    return explainMissing(git, origin, place.value, branch);
  const names = countedRefs([...new Set(refs.map(({ ref }) => ref.replace(/\^\{\}$/, "")))], reach, {
    heads: "refs/heads/",
    tags: "refs/tags/",
  });
  const counted = new Set(names);
  return succeed({
    counted: refs.filter(({ ref }) => counted.has(ref.replace(/\^\{\}$/, ""))),
    format: formatOf(first.sha),
  });
}

/** Returns the commit if a ref points to it, or to a tag object with this hash; `null` otherwise. */
function commitAtTip(refs: readonly RemoteRef[], sha: string): string | null {
  const found = refs.find((ref) => ref.sha === sha);
  if (found === undefined) return null;
  return refs.find(({ ref }) => ref === `${found.ref}^{}`)?.sha ?? sha;
}

/** Returns the refs that count. A branch takes precedence over a tag of the same name, as when a name is deployed. */
function countedRefs(
  refs: readonly string[],
  { branch, counts }: Within,
  { heads, tags }: Readonly<Record<"heads" | "tags", string>>,
): readonly string[] {
  if (branch !== null) {
    const ref = [`${heads}${branch}`, `${tags}${branch}`].find((one) => refs.includes(one));
    return ref === undefined || !counts(branch) ? [] : [ref];
  }
  return refs.filter((ref) =>
    counts(ref.startsWith(heads) ? ref.slice(heads.length) : ref.slice(tags.length)),
  );
}

type Search = { readonly name: string; readonly reach: Within; readonly depth: number | null };

/** @returns the commits that start with `name` and that count */
async function searchGraph(
  git: GitRunner,
  origin: Origin,
  place: GitPlace,
  { name, reach, depth }: Search,
): Promise<Step<readonly string[]>> {
  const fetched = await git.run(fetchGraph(place, depth), "probe");
  if (!fetched.ok) return fetched;
  git.logErrors(fetched.value);
  if (fetched.value.code !== 0)
    return explainRemote(git, origin, fetched.value, `fetching the history of ${origin.shown} failed`);
  const removed = await git.run(removePromisor(place), "probe");
  if (!removed.ok) return removed;

  const read = (command: Command, expected: readonly number[] = [0]) =>
    readLines(git, command, expected, `reading the history of ${origin.shown} failed`);
  const objects = await read(listObjects(place, name));
  if (!objects.ok) return objects;
  if (objects.value.length === 0 || objects.value.length > MAX_CANDIDATES) return succeed([]);
  const candidates = await commitsOf(git, place, objects.value);
  if (!candidates.ok) return candidates;
  const refs = await read(listGraphRefs(place));
  if (!refs.ok) return refs;
  const tips = new Set<string>();
  for (const names of inPieces(countedRefs(refs.value, reach, FETCHED_REFS))) {
    const commits = await commitsOf(git, place, names);
    if (!commits.ok) return commits;
    for (const commit of commits.value) tips.add(commit);
  }
  const found: string[] = [];
  for (const candidate of candidates.value)
    for (const piece of inPieces([...tips])) {
      const bases = await read(mergeBase(place, candidate, piece), [0, 1]);
      if (!bases.ok) return bases;
      if (!bases.value.includes(candidate)) continue;
      found.push(candidate);
      break;
    }
  return succeed(found);
}

/**
 * Resolves names to commits. A tag of a tree makes git fail, because trees are not fetched. The names are then split
 * in half until that tag stands alone and is skipped.
 */
async function commitsOf(
  git: GitRunner,
  place: GitPlace,
  names: readonly string[],
): Promise<Step<readonly string[]>> {
  const listed = await git.run(listCommits(place, names), "probe");
  if (!listed.ok) return listed;
  if (listed.value.code === 0) return succeed(linesOf(listed.value.stdout));
  if (names.length === 1) return succeed([]);
  const half = Math.ceil(names.length / 2);
  const first = await commitsOf(git, place, names.slice(0, half));
  if (!first.ok) return first;
  const second = await commitsOf(git, place, names.slice(half));
  return second.ok ? succeed([...first.value, ...second.value]) : second;
}

async function readLines(
  git: GitRunner,
  command: Command,
  expected: readonly number[],
  what: string,
): Promise<Step<readonly string[]>> {
  const answer = await git.run(command, "probe");
  if (!answer.ok) return answer;
  if (!expected.includes(answer.value.code)) return git.explain(answer.value, what);
  return succeed(linesOf(answer.value.stdout));
}

function linesOf(output: string): readonly string[] {
  return output.split("\n").filter((line) => line !== "");
}

function inPieces(items: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let bytes = Infinity;
  for (const item of items) {
    // Each argument also takes a pointer and a terminating byte.
    const size = Buffer.byteLength(item) + 9;
    bytes += size;
    if (bytes <= MAX_ARGUMENT_BYTES) pieces.at(-1)?.push(item);
    else {
      pieces.push([item]);
      bytes = size;
    }
  }
  return pieces;
}
