import { type KnownRepository, knownRepository } from "#contract/forge.ts";

type Pages = {
  readonly commit: (hash: string) => string;
  /** @param name of a branch or tag, encoded for a path */
  readonly branch: (name: string) => string;
};

const pagesOf: Readonly<Record<KnownRepository["forge"], Pages>> = {
  github: { commit: (hash) => `/commit/${hash}`, branch: (name) => `/tree/${name}` },
  gitlab: { commit: (hash) => `/-/commit/${hash}`, branch: (name) => `/-/tree/${name}` },
  bitbucket: { commit: (hash) => `/commits/${hash}`, branch: (name) => `/branch/${name}` },
  // Without the words branch or tag, Gitea and Forgejo find out which one it is.
  gitea: { commit: (hash) => `/commit/${hash}`, branch: (name) => `/src/${name}` },
};

/** The page of a repository at its public git host; null for any other repository. */
export function repositoryLink(repository: string): string | null {
  return knownRepository(repository)?.page ?? null;
}

/** The page of a commit. @param hash full or abbreviated */
export function commitLink(repository: string, hash: string): string | null {
  const known = knownRepository(repository);
  if (known === null || !/^[0-9a-f]{7,64}$/i.test(hash)) return null;
  return known.page + pagesOf[known.forge].commit(hash);
}

/** The page of a branch or tag. */
export function branchLink(repository: string, branch: string): string | null {
  const known = knownRepository(repository);
  const parts = branch.split("/");
  // A browser would leave out such a part, and show another page.
  if (known === null || parts.some((part) => /^\.{0,2}$/.test(part))) return null;
  return (
    known.page +
    pagesOf[known.forge].branch(parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/"))
  );
}
