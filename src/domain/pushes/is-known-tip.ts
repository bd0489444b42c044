/** A branch's commit as the agent found it. `foundAt` is in Unix milliseconds. */
export type FoundTip = { readonly sha: string; readonly foundAt: number };

/**
 * A branch as the control plane knows it. `push`: its newest row in the ledger. `isFetched`: a deployment of the branch
 * has fetched the found commit since that push, or ever if there is no push. `isAwaited`: a deployment has not fetched
 * yet, and will fetch this commit or a later one.
 */
export type KnownBranch = {
  readonly push: { readonly sha: string | null; readonly receivedAt: number } | null;
  readonly isFetched: boolean;
  readonly isAwaited: boolean;
};

/**
 * Whether a found commit needs no decision: the ledger has a decision about it or about a later push, or a deployment
 * has the commit. That deployment may have failed or been rolled back: a commit is not deployed again without a push.
 */
export function isKnownTip({ sha, foundAt }: FoundTip, { push, isFetched, isAwaited }: KnownBranch): boolean {
  return isFetched || isAwaited || (push !== null && (push.sha === sha || push.receivedAt > foundAt));
}
