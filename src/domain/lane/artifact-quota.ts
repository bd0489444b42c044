import type { ArtifactDigest } from "#contract/artifact.ts";
import { sizeText } from "#contract/lib/size-text.ts";
import { refuse } from "#contract/problems.ts";

/**
 * The most that the builds of a project take, in bytes: four builds of the greatest size. They are the live build, the build
 * before it, a build that is being deployed, and a build that is being uploaded.
 */
export const MAX_STORED_BYTES = 8 * 1024 * 1024 * 1024;

/** The most parts of builds that no deployment names yet: two of the greatest size. */
export const MAX_UNFINISHED_PARTS = 128;

/** A part of a build, which is stored or is being sent. */
export type QuotaPart = { readonly sha256: ArtifactDigest; readonly part: number; readonly bytes: number };

export const isSamePart = (one: QuotaPart, other: QuotaPart): boolean =>
  one.sha256 === other.sha256 && one.part === other.part;

/**
 * Refuses a part that a project has no room for. null: it has.
 * @param parts of the project, each once. If the part is among them, it takes no more room
 * @param isNamed whether a deployment has a build
 */
export function refuseOverQuota(
  parts: readonly QuotaPart[],
  part: QuotaPart,
  isNamed: (sha256: ArtifactDigest) => boolean,
) {
  if (parts.some((one) => isSamePart(one, part))) return null;
  const bytes = parts.reduce((sum, one) => sum + one.bytes, part.bytes);
  if (bytes > MAX_STORED_BYTES)
    return refuse(
      "artifact_quota",
      `The builds of the project would take ${sizeText(bytes)}, and can take ${sizeText(MAX_STORED_BYTES)}.`,
    );
  const unfinished = [...parts, part].filter(({ sha256 }) => !isNamed(sha256));
  if (!isNamed(part.sha256) && unfinished.length > MAX_UNFINISHED_PARTS)
    return refuse(
      "artifact_quota",
      `${MAX_UNFINISHED_PARTS} parts of builds that no deployment names are stored or being sent already.`,
    );
  return null;
}
