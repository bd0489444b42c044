import { requirementOf } from "#agent/policy/image-signatures.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { expand } from "#project-files/dockerfile/words.ts";
import type { DockerfileFacts } from "#project-files/dockerfile/read-dockerfile.ts";
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

const STORAGE = "containers-storage:";
/** What a build sets itself. None of it can be a part of `STORAGE`. */
const platforms = ["TARGET", "BUILD"].flatMap((of) =>
  ["PLATFORM", "OS", "ARCH", "VARIANT"].map((name) => [`${of}${name}`, "-"] as const),
);

/**
 * Checks that a Dockerfile is not based on an image in the storage by the storage's own name for it. Its signature would not be checked:
 * it can be older than the rule. buildah replaces variables in more ways than are known here, so a name with such a way is refused.
 * @param args the values of variables that the build passes
 */
export function checkStored(
  policy: Policy,
  { stages, args: defaults }: Pick<DockerfileFacts, "stages" | "args">,
  args: Readonly<Record<string, string>>,
): PolicyRefusal {
  if (policy.image_signatures === "any") return null;
  const declared = [...defaults].map(([name, value]) => [name, args[name] ?? value] as const);
  const values = new Map<string, string | null>([...platforms, ...declared]);
  for (const { image, parent } of stages) {
    const name = parent === null ? expand(image, values) : "";
    if (name === null)
      return refusedBy(
        policy,
        "image_signatures",
        `a base image whose name only the build knows (FROM ${image})`,
        "Give each variable in it a value, and use only $NAME, ${NAME} and ${NAME:-VALUE}",
      );
    if (name.includes(STORAGE)) return refusedBy(policy, "image_signatures", `a base image of ${STORAGE}`);
  }
  return null;
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
