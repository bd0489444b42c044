/** A branch or a tag; `other`: another ref, such as `refs/notes/commits`. */
export type PushedRef = { readonly kind: "branch" | "tag" | "other"; readonly name: string };

/** A change of one branch or tag, from whichever forge. */
export type Push = {
  /** As git writes it, such as `refs/heads/main`. */
  readonly ref: string;
  /** The commit before; null: the ref is new, or it is not known. */
  readonly before: string | null;
  /** The commit that the ref points to now; null: the ref was deleted. */
  readonly after: string | null;
  /** The message of that commit; null: not known. */
  readonly message: string | null;
  readonly pusher: string | null;
  /** The files that differ between `before` and `after`; null: not known, or not all of them. */
  readonly paths: readonly string[] | null;
};

const kinds = [
  ["refs/heads/", "branch"],
  ["refs/tags/", "tag"],
] as const;

/** What a ref is, and its short name. A tag may have the name of a branch. */
export function readRef(ref: string): PushedRef {
  for (const [prefix, kind] of kinds)
    if (ref.startsWith(prefix)) return { kind, name: ref.slice(prefix.length) };
  return { kind: "other", name: ref };
}

/** The first line of a message, which a list shows. */
export function headlineOf(message: string | null): string | null {
  const line = message?.trimStart().split("\n", 1)[0]?.trimEnd() ?? "";
  return line === "" ? null : line.slice(0, 200);
}

/**
 * The commit that a ref points to after a push; null: the ref was deleted.
 * @param after as the forge reports it: of a tag with a message, the tag itself
 * @param head the commit that the forge describes
 */
export function pushedCommit(ref: string, after: string, head: string | null | undefined): string | null {
  const commit = commitOrNull(after);
  return commit !== null && ref.startsWith("refs/tags/") ? (head ?? commit) : commit;
}

/** A commit hash; null for the zeros that stand for no commit. Their number depends on the hash: SHA-1 or SHA-256. */
export function commitOrNull(hash: string): string | null {
  return /^0+$/.test(hash) ? null : hash;
}
