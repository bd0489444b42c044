import * as z from "zod/mini";

import { changedPaths, type Delivery, ListedCommit, malformed } from "#domain/pushes/delivery.ts";
import { commitOrNull, pushedCommit } from "#domain/pushes/push.ts";

// Source: GitLab's documentation, "Webhook events", push events and tag events.

const PushBody = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  checkout_sha: z.nullish(z.string()),
  user_username: z.nullish(z.string()),
  user_name: z.nullish(z.string()),
  commits: z.array(ListedCommit),
  total_commits_count: z.optional(z.int()),
  project: z.object({ path_with_namespace: z.string() }),
});

/** Reads a delivery of GitLab. @param event header `X-Gitlab-Event` */
export function readGitLab(event: string, body: unknown): Delivery {
  if (event !== "Push Hook" && event !== "Tag Push Hook") return { kind: "other" };
  const parsed = PushBody.safeParse(body);
  if (!parsed.success) return malformed(parsed.error);
  const { ref, before, after, checkout_sha: checkedOut, commits, total_commits_count: total } = parsed.data;
  const head = commits.find(({ id }) => id === checkedOut);
  const push = {
    ref,
    before: commitOrNull(before),
    after: pushedCommit(ref, after, checkedOut),
    message: head?.message ?? null,
    pusher: parsed.data.user_username ?? parsed.data.user_name ?? null,
    // GitLab lists the newest 20 commits.
    paths: total === commits.length ? changedPaths(commits) : null,
  };
  return { kind: "pushes", repository: parsed.data.project.path_with_namespace, pushes: [push] };
}
