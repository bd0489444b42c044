import { isBranchAllowed } from "#agent/policy/check-policy.ts";
import { type CommitSource, decideReach } from "#agent/policy/commit-reach.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { FailureCode } from "#contract/endpoints/deployments/schemas.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** Whether any image of the repository may be ordered by its digest, or only the image that the tag names now. */
export type DigestReach = ResultOf<
  "any" | "tagged",
  { readonly code: FailureCode; readonly message: string; readonly hint: string | null }
>;

/**
 * Applies the project's setting and this server's policy to an image that is ordered by its digest. Only who may push to a
 * repository of images can add one, so every image in it counts as reachable. If the policy limits the tags, an allowed tag
 * must name the image now, unless this server recorded that it was live with an allowed tag.
 */
export function decideDigest(policy: Policy, source: CommitSource, recordedTag: string | null): DigestReach {
  const { commit } = source;
  if (commit === null) return succeed("tagged");
  if (!/^[0-9a-f]{64}$/i.test(commit))
    return {
      ...{ ok: false, code: "ref_not_found" },
      message: `the commit ${commit} is not the digest of an image`,
      hint: "The commit of an image is its full digest: sha256: and 64 hexadecimal digits.",
    };
  const reach = decideReach(policy, source, recordedTag);
  if (reach.kind === "refused") return { ok: false, code: reach.code, message: reach.message, hint: null };
  if (reach.kind === "anywhere") return succeed("any");
  const isRecorded = source.was_live && recordedTag !== null && isBranchAllowed(policy, recordedTag);
  const isLimited = policy.branches !== "any" && !isRecorded;
  const mustBeNewest = source.was_tip === true && policy.commits === "none";
  return succeed(isLimited || mustBeNewest ? "tagged" : "any");
}
