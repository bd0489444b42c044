import * as z from "zod/mini";

import { changedPaths, type Delivery, malformed } from "#domain/pushes/delivery.ts";
import { commitOrNull, pushedCommit } from "#domain/pushes/push.ts";

// Source: GitHub's documentation, "Webhook events and payloads", push.

/** GitHub lists no more commits. */
const MAX_COMMITS = 2048;
/** GitHub lists fewer files for a commit; from here on some may be missing. */
const MAX_FILES = 3000;

const Files = z.optional(z.array(z.string()));
const Commit = z.object({ added: Files, modified: Files, removed: Files });

const PushBody = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  forced: z.optional(z.boolean()),
  head_commit: z.nullish(z.object({ id: z.string(), message: z.string() })),
  commits: z.array(Commit),
  pusher: z.nullish(z.object({ name: z.string() })),
  repository: z.object({ full_name: z.string() }),
});

/** Reads a delivery of GitHub. @param event header `X-GitHub-Event` */
export function readGitHub(event: string, body: unknown): Delivery {
  if (event === "ping") return { kind: "ping" };
  if (event !== "push") return { kind: "other" };
  const parsed = PushBody.safeParse(body);
  if (!parsed.success) return malformed(parsed.error);
  const { ref, before, after, forced, head_commit: head, commits, pusher, repository } = parsed.data;
  const count = commits.reduce((files, commit) => files + Object.values(commit).flat().length, 0);
  // After a forced push, the files of the commits that were dropped are missing.
  const isComplete = forced !== true && commits.length < MAX_COMMITS && count < MAX_FILES;
  const push = {
    ref,
    before: commitOrNull(before),
    after: pushedCommit(ref, after, head?.id),
    message: head?.message ?? null,
    pusher: pusher?.name ?? null,
    paths: isComplete ? changedPaths(commits) : null,
  };
  return { kind: "pushes", repository: repository.full_name, pushes: [push] };
}
