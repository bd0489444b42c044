import { requirementOf } from "#agent/policy/image-signatures.ts";
import type { Policy } from "#agent/policy/policy.ts";
import type { Release } from "#agent/workspace/releases.ts";
import { argValues } from "#project-files/dockerfile/stages.ts";
import { expand } from "#project-files/dockerfile/words.ts";
import { type DockerfileFacts, platformArgs } from "#project-files/dockerfile/read-dockerfile.ts";
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
/** None of the values that the builder sets can be a part of `STORAGE`. */
const platforms = platformArgs.map((name) => [name, "-"] as const);

/** `args`: the values of variables that the build passes. */
type CheckedBuild = {
  readonly path: string;
  readonly facts: Pick<DockerfileFacts, "stages" | "writtenArgs">;
  readonly args: Readonly<Record<string, string>>;
};

/**
 * Checks that a Dockerfile uses no image in the storage by the storage's own name for it. Its signature would not be checked: it can be
 * older than the rule. buildah replaces variables in more ways than are known here, so a name with such a way is refused.
 */
export function checkStored(policy: Policy, { path, facts, args }: CheckedBuild): PolicyRefusal {
  if (policy.image_signatures === "any") return null;
  const refuse = (what: string, way?: string) => refusedBy(policy, "image_signatures", what, way);
  // Source: the manual page buildah-build.
  if (path.endsWith(".in"))
    return refuse(`${path}, which the C preprocessor would change before the build`, "Give it another name");
  const values = new Map<string, string | null>([...platforms, ...argValues(facts.writtenArgs, args)]);
  for (const { name, image, parent, sources } of facts.stages) {
    const base = parent === null ? expand(image, values) : "";
    if (base === null)
      return refuse(
        `a base image whose name only the build knows (FROM ${image})`,
        "Give each variable in it a value, and use only $NAME, ${NAME} and ${NAME:-VALUE}",
      );
    const unknown = sources.find((source) => source.includes("$"));
    if (unknown !== undefined)
      return refuse(
        `files of an image whose name only the build knows (from=${unknown})`,
        "Write its name without variables",
      );
    // buildah and Gantry could disagree about which stage has the name of an image.
    if ([base, name ?? "", ...sources].some((one) => one.includes(STORAGE)))
      return refuse(`an image of ${STORAGE}`);
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
