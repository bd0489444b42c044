import * as z from "zod/mini";

import type { ProjectFolder } from "#agent/workspace/project-folder.ts";
import { readJsonFile } from "#node/read-json-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";
import { CommitSha } from "#contract/git-names.ts";
import { storedAs } from "#contract/stored.ts";

/** A commit that was live on this server, and the branch or tag from which it was deployed. */
const LiveCommit = z.object({ commit_sha: CommitSha, branch: z.string() });
export type LiveCommit = z.infer<typeof LiveCommit>;
const LiveCommits = z.array(LiveCommit);
const storedCommits = storedAs(LiveCommits);

/** The number of rollback targets that the control plane keeps. */
const MAX_NOTED = 100;

/** Newest first. An unreadable file counts as empty: a rollback is then refused. */
async function readLiveCommits({ liveCommits }: ProjectFolder): Promise<readonly LiveCommit[]> {
  return (await readJsonFile(liveCommits, storedCommits)) ?? [];
}

/** The branch or tag of a commit when it was last live on this server; `null` when it never was. */
export async function liveBranchOf(folder: ProjectFolder, sha: string): Promise<string | null> {
  const commits = await readLiveCommits(folder);
  return commits.find((one) => one.commit_sha === sha)?.branch ?? null;
}

/**
 * Records a live commit. Never throws: on a full disk the release is still live, and only a later rebuild may be
 * refused.
 */
export async function recordLiveCommit(
  folder: ProjectFolder,
  { commit_sha, branch }: LiveCommit,
): Promise<void> {
  const before = await readLiveCommits(folder);
  if (before[0]?.commit_sha === commit_sha && before[0].branch === branch) return;
  const others = before.filter((one) => one.commit_sha !== commit_sha);
  const commits = [{ commit_sha, branch }, ...others].slice(0, MAX_NOTED);
  await writeAtomic(folder.liveCommits, `${JSON.stringify(commits)}\n`).catch(() => undefined);
}
