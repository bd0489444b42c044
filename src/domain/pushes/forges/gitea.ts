import * as z from "zod/mini";

import { changedPaths, type Delivery, ListedCommit, malformed } from "#domain/pushes/delivery.ts";
import { commitOrNull, pushedCommit } from "#domain/pushes/push.ts";

// Source: Gitea's modules/structs/hook.go, PushPayload. Forgejo sends the same.

const PushBody = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  commits: z.nullish(z.array(ListedCommit)),
  total_commits: z.optional(z.int()),
  head_commit: z.nullish(ListedCommit),
  pusher: z.nullish(z.object({ login: z.optional(z.string()), username: z.optional(z.string()) })),
  repository: z.object({ full_name: z.string() }),
});

/** Reads a delivery of Gitea or Forgejo. @param event header `X-Gitea-Event` or `X-Forgejo-Event` */
export function readGitea(event: string, body: unknown): Delivery {
  if (event !== "push") return { kind: "other" };
  const parsed = PushBody.safeParse(body);
  if (!parsed.success) return malformed(parsed.error);
  const { ref, before, after, total_commits: total, head_commit: head, pusher, repository } = parsed.data;
  // What the button "Test Delivery" sends.
  if (before === after) return { kind: "ping" };
  const commits = parsed.data.commits ?? [];
  const push = {
    ref,
    before: commitOrNull(before),
    after: pushedCommit(ref, after, head?.id),
    message: (head ?? commits.find(({ id }) => id === after))?.message ?? null,
    pusher: pusher?.login ?? pusher?.username ?? null,
    // Gitea lists the newest few commits (`FEED_MAX_COMMIT_NUM`).
    paths: total === commits.length ? changedPaths(commits) : null,
  };
  return { kind: "pushes", repository: repository.full_name, pushes: [push] };
}
