import * as z from "zod/mini";

import { type Delivery, malformed } from "#domain/pushes/delivery.ts";
import type { Push } from "#domain/pushes/push.ts";

// Source: Bitbucket Cloud's documentation, "Event payloads", repository push.

const Ref = z.object({
  type: z.string(),
  name: z.string(),
  target: z.object({ hash: z.string(), message: z.optional(z.string()) }),
});
const Change = z.object({ new: z.nullish(Ref), old: z.nullish(Ref) });

const PushBody = z.object({
  push: z.object({ changes: z.array(Change) }),
  actor: z.nullish(z.object({ nickname: z.optional(z.string()), display_name: z.optional(z.string()) })),
  repository: z.object({ full_name: z.string() }),
});

/** Reads a delivery of Bitbucket Cloud, which can contain several refs. @param event header `X-Event-Key` */
export function readBitbucket(event: string, body: unknown): Delivery {
  if (event === "diagnostics:ping") return { kind: "ping" };
  if (event !== "repo:push") return { kind: "other" };
  const parsed = PushBody.safeParse(body);
  if (!parsed.success) return malformed(parsed.error);
  const { push, actor, repository } = parsed.data;
  const pusher = actor?.nickname ?? actor?.display_name ?? null;
  const pushes = push.changes.flatMap(({ new: now, old }): Push[] => {
    const named = now ?? old;
    if (named === null || named === undefined) return [];
    return [
      {
        ref: `${named.type.includes("tag") ? "refs/tags" : "refs/heads"}/${named.name}`,
        before: old?.target.hash ?? null,
        after: now?.target.hash ?? null,
        message: now?.target.message ?? null,
        pusher,
        // Bitbucket lists no files.
        paths: null,
      },
    ];
  });
  return { kind: "pushes", repository: repository.full_name, pushes };
}
