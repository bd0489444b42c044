import { requirementOf } from "#agent/policy/image-signatures.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { isImageRepository, parseRepository } from "#contract/addresses/repository-address.ts";
import { policyFileOf, type PolicyRefusal, refusedBy } from "#agent/policy/refuse.ts";

/** Checks that containers may run on this server. */
export function checkContainers(policy: Policy): PolicyRefusal {
  if (policy.containers === "any") return null;
  const way = `Its administrator allows them with the line "containers": "any" in ${policyFileOf(policy)}`;
  return refusedBy(policy, "containers", "containers", way);
}

/** Checks that images of a repository may be pulled. Their signatures are checked by the pull. */
export function checkImages(policy: Policy, repository: string): PolicyRefusal {
  const { image_signatures: rule } = policy;
  const parsed = parseRepository(repository);
  if (rule === "any" || !parsed.ok || parsed.value.kind !== "docker") return null;
  const { place } = parsed.value;
  return requirementOf(rule, place) === "refuse"
    ? refusedBy(policy, "image_signatures", `images of ${place}`)
    : null;
}

type Imaged = Pick<Release, "version" | "image" | "taken" | "repository">;

/**
 * Checks that the image of a release was checked by the rule of today. Of an image that another server has built, `artifacts` decides.
 * @param live the release that is live, which may stay live with other settings
 */
export function checkSigned(policy: Policy, release: Imaged, live: number | null): PolicyRefusal {
  const { version, image, taken, repository } = release;
  if (policy.image_signatures === "any" || image === undefined || version === live) return null;
  if (taken === true && !isImageRepository(repository)) return null;
  if (image.checked !== undefined && image.checked === policy.imagePolicy?.hash) return null;
  const what = `release ${version}, because the rule is newer than its image`;
  return refusedBy(policy, "image_signatures", what, "Deploy its commit again");
}

/** Checks that an image may be built: its Dockerfile can run any command. */
export function checkImageBuild(policy: Policy): PolicyRefusal {
  if (policy.build_commands === "any" || policy.build_commands === "repository")
    return checkContainers(policy);
  return refusedBy(policy, "build_commands", "the instructions of a Dockerfile");
}
