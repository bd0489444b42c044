import * as z from "zod/mini";

import type { Push } from "#domain/pushes/push.ts";

/** What a forge reports in one request. */
export type Delivery =
  /** `repository`: `owner/name`, and with a subgroup `group/subgroup/name`. */
  | { readonly kind: "pushes"; readonly repository: string; readonly pushes: readonly Push[] }
  /** A registry reports the images of all its repositories to each hook. */
  | { readonly kind: "images"; readonly images: readonly PushedImage[] }
  /** The forge or a person tests the hook. */
  | { readonly kind: "ping" }
  /** About something else, such as an issue. */
  | { readonly kind: "other" }
  /** `field`: the first missing or wrong field; null: the whole body is wrong. */
  | { readonly kind: "malformed"; readonly field: string | null };

/** A tag that was pushed to a registry. `repository`: its name there, without the host. */
export type PushedImage = { readonly repository: string; readonly push: Push };

/** A body that is not what the forge documents. */
export function malformed({ issues: [issue] }: z.core.$ZodError): Delivery {
  const path = issue?.path.join(".") ?? "";
  return { kind: "malformed", field: path === "" ? null : path };
}

const Files = z.nullish(z.array(z.string()));

/** A commit with the files that it changed, as GitLab, Gitea and Forgejo list it. */
export const ListedCommit = z.object({
  id: z.string(),
  message: z.string(),
  added: Files,
  modified: Files,
  removed: Files,
});

/** The files that commits changed; null if the forge does not list the files of each. */
export function changedPaths(
  commits: readonly {
    readonly added?: readonly string[] | null | undefined;
    readonly modified?: readonly string[] | null | undefined;
    readonly removed?: readonly string[] | null | undefined;
  }[],
): string[] | null {
  const paths = new Set<string>();
  for (const { added, modified, removed } of commits) {
    const lists = [added, modified, removed].filter((list) => list !== null && list !== undefined);
    if (lists.length === 0) return null;
    for (const path of lists.flat()) paths.add(path);
  }
  // No commits: the branch went back, or to commits that another branch had already.
  return commits.length === 0 ? null : [...paths];
}
