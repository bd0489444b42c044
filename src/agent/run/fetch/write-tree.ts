import { createHash, randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { exportCommit, listTree, readSubmoduleConfig } from "#agent/commands/git.ts";
import { readRemote } from "#agent/commands/git-login.ts";
import { readGitlinks } from "#build/commands/read-gitlinks.ts";
import { readSubmoduleEntries, type SubmoduleEntry } from "#agent/commands/read-git-output.ts";
import { resolveSubmoduleUrl } from "#agent/commands/submodule-url.ts";
import { checkRepository } from "#agent/policy/check-policy.ts";
import { checkLfs } from "#agent/run/fetch/check-lfs.ts";
import { fetchCommit } from "#agent/run/fetch/fetch-commit.ts";
import type { GitRunner } from "#agent/run/fetch/git-runner.ts";
import type { FetchedCommit, InMirror, Origin } from "#agent/run/fetch/mirror-steps.ts";
import { logNewHostKeys, openOrigin, readerOf } from "#agent/run/fetch/open-origin.ts";
import type { RunScope } from "#agent/run/step/run-scope.ts";
import { fail, type Step } from "#agent/run/step/step.ts";
import { folderInside } from "#build/tree/folder-inside.ts";
import { fileContains } from "#agent/lib/file-contains.ts";
import { lstatOrNull } from "#node/lstat-or-null.ts";
import { discardMirror } from "#agent/workspace/mirror.ts";
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
  const hasModules = (await lstatOrNull(join(into, ".gitmodules"))) !== null;
  if (!hasModules && !written.hasLinks) return succeed({ ...commit.value, indexBytes });
  const modules = hasModules ? await listSubmodules(job, commit.value) : succeed([]);
  if (!modules.ok) return modules;
  if (written.hasLinks) await nameUnknownLinks(job, commit.value, modules.value);
  for (const module of modules.value) {
    const inner = await writeSubmodule(job, origin, module, into, depth);
    if (!inner.ok) return inner;
    indexBytes += inner.value.indexBytes;
  }
  return succeed({ ...commit.value, indexBytes });
}

type Written =
  | { readonly kind: "written"; readonly indexBytes: number; readonly hasLinks: boolean }
  | { readonly kind: "damaged"; readonly failure: Step<never> };

/** `damaged`: the commit is in the mirror, but not all of its objects are. */
async function writeFiles(
  { git, scope: { folder } }: TreeJob,
  { now }: Origin,
  commit: InMirror,
  into: string,
): Promise<Step<Written>> {
  const index = join(folder.temp, `index-${randomUUID()}`);
  const exported = await git.run(exportCommit(commit.place, into, commit.name, index));
  const isWritten = exported.ok && exported.value.code === 0;
  const checked = isWritten ? await checkLfs(git, commit, into, index, now) : succeed(null);
  const indexBytes = isWritten ? (await stat(index)).size : 0;
  const hasLinks = isWritten && (await fileContains(index, LINK_MODE));
  await rm(index, { force: true });
  if (!exported.ok) return exported;
  if (!checked.ok) return checked;
  if (isWritten) return succeed({ kind: "written", indexBytes, hasLinks });
  const found = await commit.commit;
  const what = found.ok ? found.value.sha : commit.name;
  // A filter such as Git LFS fails because of files outside the mirror.
  const isFiltered = /filter .* failed/.test(exported.value.ran.stderrTail);
  const advice = isFiltered && exported.value.ran.stderrTail.includes("lfs") ? LFS_ADVICE : null;
  const failure = await git.explain(exported.value, `writing the files of ${what} failed`, advice);
  const isFull = !failure.ok && failure.end.kind === "failed" && failure.end.failure.code === "disk_full";
  return isFull || isFiltered ? failure : succeed({ kind: "damaged", failure });
}

/** The mode of a submodule in git's index. A file can have these bytes too, which costs a process more. */
const LINK_MODE = "\0\0\u00e0\0";

/** Logs the submodules without an address in .gitmodules, such as a repository that was committed inside of another. */
async function nameUnknownLinks(
  { git, scope }: TreeJob,
  { place, sha }: FetchedCommit,
  known: readonly Submodule[],
): Promise<void> {
  const tree = await git.run(listTree(place, sha, [], "deep"), "probe");
  if (!tree.ok || tree.value.code !== 0) return;
  const paths = new Set(known.map(({ path }) => path));
  for (const path of [...readGitlinks(tree.value.stdout).keys()].filter((one) => !paths.has(one)).slice(0, 8))
    scope.log.system(
      "fetch",
      `warning: ${path} is empty: it is a submodule that .gitmodules has no address for. Add it with \`git submodule add URL ${path}\`, or remove it with \`git rm --cached ${path}\` and commit its files`,
    );
}

type Submodule = SubmoduleEntry & { readonly sha: string };

async function listSubmodules(
  { git }: TreeJob,
  { place, sha }: FetchedCommit,
): Promise<Step<readonly Submodule[]>> {
  const config = await git.run(readSubmoduleConfig(place, sha), "probe");
  if (!config.ok) return config;
  if (config.value.code === 1) return succeed([]);
  if (config.value.code !== 0) return git.explain(config.value, "reading .gitmodules failed");
  const entries = readSubmoduleEntries(config.value.stdout);
  if (entries.length === 0) return succeed([]);
  const paths = entries.map((entry) => entry.path);
  const tree = await git.run(listTree(place, sha, paths));
  if (!tree.ok) return tree;
  if (tree.value.code !== 0) return git.explain(tree.value, "reading the submodules failed");
  const links = readGitlinks(tree.value.stdout);
  return succeed(
    entries.flatMap((entry) => {
      const link = links.get(entry.path);
      return link === undefined ? [] : [{ ...entry, sha: link }];
    }),
  );
}

async function writeSubmodule(
  job: TreeJob,
  parent: Origin,
  module: Submodule,
  into: string,
  depth: number,
): Promise<Step<WrittenCommit>> {
  const refuse = (reason: string) =>
    fail("fetch_failed", "fetch", maskUrlPassword(`submodule ${module.name}: ${reason}`));
  if (depth >= MAX_DEPTH) return refuse(`submodules are nested more than ${MAX_DEPTH} deep`);
  if (!InsidePath.safeParse(module.path).success)
    return refuse(`its path ${module.path} leads out of the repository`);
  const place = await folderInside(into, module.path);
  if (place.kind !== "inside") return refuse(`its path ${module.path} is not a folder in the repository`);
  const address = resolveSubmoduleUrl(parent.repository, module.url);
  if (address.kind === "refused") return refuse(address.reason);
  const refusal = checkRepository(job.scope.context, address.url);
  if (refusal !== null) return fail("refused_by_policy", "fetch", `submodule ${module.name}: ${refusal}`);

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
  if (!commit.ok) return nameSubmodule(module, commit);
  return writeTree(job, origin.value, commit.value, place.path, depth + 1);
}

/** Says which submodule a failure is about: its address is often in no setting that people know. */
function nameSubmodule(
  { name }: Submodule,
  { end, ...step }: Step<never> & { readonly ok: false },
): Step<never> {
  if (end.kind !== "failed") return { ...step, end };
  const { failure } = end;
  return {
    ...step,
    end: {
      ...end,
      failure: { ...failure, message: maskUrlPassword(`submodule ${name}: ${failure.message}`) },
    },
  };
}
