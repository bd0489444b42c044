import { isBranchAllowed } from "#agent/policy/check-policy.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { FailureCode } from "#contract/endpoints/deployments/schemas.ts";

/** The part of an order that says which commit it deploys. */
export type CommitSource = Omit<RunOrder["source"], "repository">;

/**
 * Branches and tags. At least one of them must contain a commit that is ordered by its hash. Also the failure to report
 * if none does.
 */
export type CommitReach =
  | { readonly kind: "anywhere" }
  | { readonly kind: "refused"; readonly code: FailureCode; readonly message: string }
  | {
      readonly kind: "within";
      /** The only branch or tag that counts; `null` when all with an allowed name count. */
      readonly branch: string | null;
      readonly counts: (name: string) => boolean;
      /** Whether it may be any commit of a branch; otherwise it must be the tip. */
      readonly mayBeOlder: boolean;
      readonly code: FailureCode;
      /** @param repository the address with its secrets masked */
      readonly message: (commit: string, repository: string) => string;
    };

/**
 * Applies the stricter of the project's setting and this server's policy. A rollback may rebuild a commit that no
 * branch contains any more. The project's setting trusts the control plane that the commit was live; the policy
 * requires that this server recorded it. A commit that was the tip of its branch when its approval was asked for must
 * still be in that branch, whatever the setting is. If the policy allows no commit by its hash, it must still be the
 * tip.
 * @param recordedBranch the branch from which this server recorded the commit as live; `null` when it did not
 */
export function decideReach(
  policy: Policy,
  source: CommitSource,
  recordedBranch: string | null,
): CommitReach {
  const { commit, branch, commits, in_branch: isInBranch, was_live: wasLive } = source;
  if (commit === null) return { kind: "anywhere" };
  if (source.was_tip === true) return reachOfTip(policy, branch);
  const setting = wasLive ? "any" : commits;
  const code = "commit_not_reachable";
  if (setting === "none")
    return { kind: "refused", code, message: `the project deploys no commit by its hash (commits: none)` };
  const isRecorded = wasLive && recordedBranch !== null && isBranchAllowed(policy, recordedBranch);
  const limits = policy.branches !== "any";
  const isPolicyMet = isRecorded || (policy.commits === "any" && !limits);
  if (setting === "any" && isPolicyMet) return { kind: "anywhere" };

  const counts = (name: string) => isPolicyMet || isBranchAllowed(policy, name);
  if (setting === "any" || (limits && !isPolicyMet)) {
    const rule = limits ? "branches" : "commits";
    const which = limits ? "branch or tag that it allows" : "branch or tag";
    const way = limits
      ? "push the commit to one"
      : 'push the commit to one, or set commits to "any" in the policy';
    return {
      kind: "within",
      branch: setting === "reachable" && isInBranch ? branch : null,
      counts,
      mayBeOlder: true,
      code: "refused_by_policy",
      message: (sha, repository) =>
        `this server's policy (${rule}) does not allow commit ${sha}: no ${which} of ${repository} contains it. To fix this, ${way}`,
    };
  }
  const also = isPolicyMet ? "" : ", and in this server's policy as well";
  const way = `set the project's commits to any${also}`;
  return {
    kind: "within",
    branch: isInBranch ? branch : null,
    counts,
    mayBeOlder: true,
    code,
    message: (sha, repository) =>
      isInBranch
        ? `\`${branch}\` of ${repository} does not contain commit ${sha}: push the commit to it, start the deployment without a branch, or ${way}`
        : `no branch or tag of ${repository} contains commit ${sha}: push the commit to one, or ${way}`,
  };
}

function reachOfTip(policy: Policy, branch: string): CommitReach {
  const mayBeOlder = policy.commits !== "none";
  return {
    kind: "within",
    branch,
    counts: (name) => isBranchAllowed(policy, name),
    mayBeOlder,
    code: mayBeOlder ? "ref_not_found" : "refused_by_policy",
    message: (sha, repository) =>
      mayBeOlder
        ? `\`${branch}\` of ${repository} no longer contains the approved commit ${sha}: start another deployment`
        : `this server's policy (commits) allows only the latest commit of \`${branch}\`, which is no longer the approved commit ${sha}: start another deployment`,
  };
}
