import * as z from "zod/mini";

import { isImagePlace } from "#contract/addresses/image-place.ts";
import { listBetween } from "#contract/bounds.ts";

const PLACE_RULE =
  "must be a registry or the beginning of the names of its images, such as ghcr.io or ghcr.io/acme, without a tag and in lower case";

const KeyPath = z.string().check(
  z.refine((path) => /^\/[^\p{Cc}]{1,4000}$/u.test(path), {
    message: 'must be "accept", "refuse", or the absolute path of a public key, or a list of such paths',
  }),
);

const ImageRequirement = z.union([z.enum(["accept", "refuse"]), KeyPath, listBetween(KeyPath, 1, 10)]);
export type ImageRequirement = z.infer<typeof ImageRequirement>;

/**
 * What images need, by the registry or the beginning of their names: a signature by one of these keys, or nothing. The longest
 * beginning counts. `others`: for images that no entry names.
 */
export const ImageSignatures = z.strictObject({
  // Not a schema of the keys, whose message would be lost.
  images: z.record(z.string(), ImageRequirement).check(
    z.superRefine((images, context) => {
      for (const place of Object.keys(images).filter((name) => !isImagePlace(name)))
        context.addIssue({ code: "custom", path: [place], message: PLACE_RULE });
    }),
  ),
  others: z.enum(["accept", "refuse"]),
});
export type ImageSignatures = z.infer<typeof ImageSignatures>;

/**
 * What the entries require. `docker.io/node` is also `docker.io/library/node`: nobody writes the longer name in a Dockerfile. A registry
 * with the port 443 is the same registry.
 */
export function requirementsOf({ images }: ImageSignatures): ReadonlyMap<string, ImageRequirement> {
  const all = new Map<string, ImageRequirement>();
  for (const [place, requirement] of Object.entries(images)) {
    const [, word = "library"] = /^docker\.io\/([^/]+)$/.exec(place) ?? [];
    if (word !== "library") all.set(`docker.io/library/${word}`, requirement);
  }
  for (const [place, requirement] of Object.entries(images)) all.set(place, requirement);
  for (const [place, requirement] of [...all]) {
    const other = withOtherPort(place);
    if (other !== null && !all.has(other)) all.set(other, requirement);
  }
  return all;
}

/** The same place with the port 443, or without it; null: it has another port. */
function withOtherPort(place: string): string | null {
  const [, host = "", port, path = ""] = /^([^/:]+)(?::(\d+))?(\/.*)?$/.exec(place) ?? [];
  if (host !== "" && port === undefined) return `${host}:443${path}`;
  return port === "443" ? host + path : null;
}

/** What an image must have. @param name with its registry, without a tag and a digest */
export function requirementOf(rule: ImageSignatures, name: string): ImageRequirement {
  const all = requirementsOf(rule);
  for (let place = name; ; place = place.slice(0, place.lastIndexOf("/"))) {
    const found = all.get(place);
    if (found !== undefined) return found;
    if (!place.includes("/")) return rule.others;
  }
}

/** The paths of all keys of a rule. */
export function keyPathsOf({ images }: ImageSignatures): readonly string[] {
  const words = ["accept", "refuse"];
  return [...new Set(Object.values(images).flat())].filter((path) => !words.includes(path));
}
