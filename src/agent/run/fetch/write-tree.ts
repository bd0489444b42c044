import { createHash, randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { exportCommit, readSubmoduleConfig } from "#agent/git/commands/git.ts";
import { readRemote } from "#agent/git/commands/git-login.ts";
import { resolveSubmoduleUrl } from "#agent/run/fetch/submodule-url.ts";
import { checkRepository } from "#agent/policy/check-policy.ts";
import { checkLfs } from "#agent/run/fetch/check-lfs.ts";
import { fetchCommit } from "#agent/git/mirror/fetch-commit.ts";
import type { GitRunner } from "#agent/git/mirror/git-runner.ts";
import { checkGitFile, isWrongConfig } from "#agent/run/fetch/check-git-file.ts";
import { indexGitlinks } from "#agent/run/fetch/index-gitlinks.ts";
import type { FetchedCommit, InMirror, Origin } from "#agent/git/mirror/mirror-steps.ts";
import { logNewHostKeys, openOrigin, readerOf } from "#agent/git/mirror/open-origin.ts";
import type { RunScope } from "#agent/step/run-scope.ts";
import { fail, type Step } from "#agent/step/step.ts";
import { readSubmoduleEntries } from "#build/commands/read-submodules.ts";
import { matchSubmodules, type Submodule } from "#build/tree/match-submodules.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { discardMirror } from "#agent/git/mirror/mirror.ts";
import { InsidePath, maskUrlPassword } from "#contract/git-names.ts";
import { succeed } from "#contract/lib/result.ts";

/** Deeper nesting means that a repository contains itself. */
const MAX_DEPTH = 8;

/** A push without the program git-lfs sends the pointers, but not their files. */
const LFS_ADVICE =
  "If the repository lacks the file, run `git lfs push --all origin` where you have it. To deploy without it, exclude it in .lfsconfig (`lfs.fetchexclude`).";

export type TreeJob = {
  readonly git: GitRunner;
  readonly scope: RunScope;
};

/** A commit whose files are written. `indexBytes`: the size of git's index of them, the submodules' included. */
export type WrittenCommit = FetchedCommit & { readonly indexBytes: number };

/**
 * Writes a commit's files into a folder of the release, and its submodules into their folders. Reading the commit and
 * writing its files are two processes, which run at the same time.
 * @param into an empty folder inside the release
 */
export async function writeTree(
  job: TreeJob,
  origin: Origin,
  fetched: InMirror,
  into: string,
  depth = 0,
): Promise<Step<WrittenCommit>> {
  const startedAt = origin.now();
  const [exported, commit] = await Promise.all([writeFiles(job, origin, fetched, into), fetched.commit]);
  if (!commit.ok) return commit;
  if (!exported.ok) return exported;
  let written = exported.value;
  if (written.kind === "damaged") {
    job.git.logStep("the mirror was damaged: fetching it again", startedAt);
    await discardMirror(commit.value.place.gitDir);
    const again = await fetchCommit(job.git, origin, { kind: "full", sha: commit.value.sha });
    if (!again.ok) return again;
    const second = await writeFiles(job, origin, again.value, into);
    if (!second.ok) return second;
    written = second.value;
    if (written.kind === "damaged") return written.failure;
  }
  job.git.logStep(`wrote the files of ${commit.value.sha.slice(0, 12)}`, startedAt);

  let { indexBytes } = written;
  if (written.gitlinks.size === 0) return succeed({ ...commit.value, indexBytes });
  const modules = await listSubmodules(job, origin, commit.value, written.gitlinks, into);
  if (!modules.ok) return modules;
  for (const module of modules.value) {
    const inner = inSubmodule(module, await writeSubmodule(job, origin, module, into, depth));
    if (!inner.ok) return inner;
    indexBytes += inner.value.indexBytes;
  }
  return succeed({ ...commit.value, indexBytes });
}

type Written =
  | {
      readonly kind: "written";
      readonly indexBytes: number;
      readonly gitlinks: ReadonlyMap<string, string>;
    }
  | { readonly kind: "damaged"; readonly failure: Step<never> };

/** `damaged`: the commit is in the mirror, but not all of its objects are. */
async function writeFiles(
  { git, scope: { folder } }: TreeJob,
  { now, mirrors }: Origin,
  commit: InMirror,
  into: string,
): Promise<Step<Written>> {
  const index = join(folder.temp, `index-${randomUUID()}`);
  const exported = await git.run(exportCommit(commit.place, into, commit.name, index));
  const isWritten = exported.ok && exported.value.code === 0;
  const hashBytes = commit.place.gitDir === mirrors.sha256 ? 32 : 20;
  const checked = isWritten ? await checkLfs(git, commit, into, { index, hashBytes }, now) : succeed(null);
  const indexBytes = isWritten ? (await stat(index)).size : 0;
  const gitlinks = isWritten ? await indexGitlinks(index, hashBytes) : new Map<string, string>();
  await rm(index, { force: true });
  if (!exported.ok) return exported;
  if (!checked.ok) return checked;
  if (isWritten) return succeed({ kind: "written", indexBytes, gitlinks });
  const found = await commit.commit;
  const what = found.ok ? found.value.sha : commit.name;
  // A filter such as Git LFS fails because of files outside the mirror.
  const isFiltered = /filter .* failed/.test(exported.value.ran.stderrTail);
  const advice = isFiltered && exported.value.ran.stderrTail.includes("lfs") ? LFS_ADVICE : null;
  const failure = await git.explain(exported.value, `writing the files of ${what} failed`, advice);
  const isFull = !failure.ok && failure.end.kind === "failed" && failure.end.failure.code === "disk_full";
  return isFull || isFiltered ? failure : succeed({ kind: "damaged", failure });
}

/** The submodules of a commit, with what `.gitmodules` says about them. */
async function listSubmodules(
  { git }: TreeJob,
  { now }: Origin,
  { place, sha }: FetchedCommit,
  gitlinks: ReadonlyMap<string, string>,
  into: string,
): Promise<Step<readonly Submodule[]>> {
  const startedAt = now();
  const file = await checkGitFile(into, ".gitmodules");
  if (!file.ok) return file;
  const config = file.value ? await git.run(readSubmoduleConfig(place, sha), "probe") : null;
  if (config !== null && !config.ok) return config;
  if (config !== null && isWrongConfig(config.value))
    return git.explain(config.value, "reading .gitmodules failed");
  const entries = config === null ? null : readSubmoduleEntries(config.value.stdout);
  const matched = matchSubmodules(gitlinks, entries);
  if (!matched.ok) {
    const { message, hint } = matched.problem;
    return fail("fetch_failed", "fetch", message, undefined, hint);
  }
  for (const path of matched.value.skipped)
    git.logStep(`left out the submodule ${path}: .gitmodules has update = none for it`, startedAt);
  return succeed(matched.value.submodules);
}

async function writeSubmodule(
  job: TreeJob,
  parent: Origin,
  module: Submodule,
  into: string,
  depth: number,
): Promise<Step<WrittenCommit>> {
  const refuse = (reason: string) => fail("fetch_failed", "fetch", maskUrlPassword(reason));
  if (depth >= MAX_DEPTH) return refuse(`submodules are nested more than ${MAX_DEPTH} deep`);
  if (!InsidePath.safeParse(module.path).success)
    return refuse(`its path ${module.path} leads out of the repository`);
  const place = await folderInside(into, module.path);
  if (place.kind !== "inside") return refuse(`its path ${module.path} is not a folder in the repository`);
  const address = resolveSubmoduleUrl(parent.repository, module.url);
  if (address.kind === "refused") return refuse(address.reason);
  const refusal = checkRepository(job.scope.context, address.url);
  if (refusal !== null) return fail("refused_by_policy", "fetch", refusal);

  // Without the login, so that a replaced token does not need a new mirror.
  const name = createHash("sha256").update(readRemote(address.url).url).digest("hex").slice(0, 24);
  const { modules } = job.scope.folder.mirrors;
  const origin = await openOrigin(readerOf(job.scope), address.url, {
    sha1: join(modules, `${name}.git`),
    sha256: join(modules, `${name}-sha256.git`),
  });
  if (!origin.ok) return origin;
  const commit = await fetchCommit(job.git, origin.value, { kind: "full", sha: module.sha });
  await logNewHostKeys(job.scope, origin.value);
  if (!commit.ok) return commit;
  return writeTree(job, origin.value, commit.value, place.path, depth + 1);
}

/** Names the submodule in a failure of its fetch. Those of nested submodules are named from the outside in. */
export function inSubmodule<Value>({ path, sha }: Submodule, step: Step<Value>): Step<Value> {
  if (step.ok || step.end.kind !== "failed") return step;
  const { code, stage, message, evidence, hint } = step.end.failure;
  const push = `Push the commit ${sha.slice(0, 12)} of the submodule, or let the repository use one that is pushed.`;
  const advice = hint ?? (code === "ref_not_found" ? push : null);
  return fail(code, stage, `submodule ${path}: ${message}`, evidence, advice);
}
