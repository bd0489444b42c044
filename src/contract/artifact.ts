import * as z from "zod/mini";

import { listUpTo, textBetween, textLike, textUpTo, wholeBetween } from "#contract/bounds.ts";
import { base64url, Fingerprint, SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { type ProjectId, ServerId } from "#contract/ids.ts";

// An artifact is a build that other servers take instead of building: the encrypted archive of a release folder. The
// control plane stores the ciphertext, and cannot read it.

/** The bytes of each part of the ciphertext but the last, which may have fewer. */
export const ARTIFACT_PART_BYTES = 32 * 1024 * 1024;

/** The maximum number of parts of an artifact: 2 GiB. */
export const MAX_ARTIFACT_PARTS = 64;

/** The maximum number of servers that open an artifact: of a project (`MAX_SERVERS`). */
const MAX_BOXES = 50;

/** The maximum length of the path of a project's folder, in UTF-16 code units. */
const MAX_HOME = 1024;

/**
 * The name of an artifact: the SHA-256 of its ciphertext, all parts in order, in hexadecimal. So a part that is sent again
 * has the same bytes.
 */
export const ArtifactDigest = textLike(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal, in lower case");
export type ArtifactDigest = z.infer<typeof ArtifactDigest>;

/**
 * What a build belongs to. A server on which one of them differs cannot use it.
 * `os`, `architecture`: as Node's `process.platform` and `process.arch`. `libc`: `glibc` or `musl`; null if it has neither.
 * `home`: the path of the project's folder, if files of the build have absolute paths, as virtual environments do; null:
 * the files do not depend on it.
 */
export const Platform = z.strictObject({
  os: textBetween(1, 40),
  architecture: textBetween(1, 40),
  libc: z.nullable(textUpTo(40)),
  home: z.nullable(textUpTo(MAX_HOME)),
});
export type Platform = z.infer<typeof Platform>;

/** A box with the 32-byte key of an artifact, sealed for one server. Base64url, 80 bytes. */
export const ArtifactBox = base64url(107, 107);

/**
 * An artifact. `parts`: how many, numbered from 1; each has `ARTIFACT_PART_BYTES`, and the last one the rest of `bytes`.
 * `platform`: null if it runs on each. `boxes`: by the fingerprints of the keys that open them.
 */
export const Artifact = z
  .strictObject({
    sha256: ArtifactDigest,
    bytes: wholeBetween(1, MAX_ARTIFACT_PARTS * ARTIFACT_PART_BYTES),
    parts: wholeBetween(1, MAX_ARTIFACT_PARTS),
    platform: z.nullable(Platform),
    boxes: z
      .record(Fingerprint, ArtifactBox)
      .check(z.refine((boxes) => Object.keys(boxes).length <= MAX_BOXES, `must have ${MAX_BOXES} at most`)),
  })
  .check(
    z.refine(({ bytes, parts }) => Math.ceil(bytes / ARTIFACT_PART_BYTES) === parts, {
      path: ["parts"],
      message: `must be the number of parts of ${ARTIFACT_PART_BYTES} bytes`,
    }),
  );
export type Artifact = z.infer<typeof Artifact>;

/** The size of a part, in bytes. @param part its number, from 1 */
export function bytesOfPart({ bytes, parts }: Pick<Artifact, "bytes" | "parts">, part: number): number {
  return part < parts ? ARTIFACT_PART_BYTES : bytes - (parts - 1) * ARTIFACT_PART_BYTES;
}

/** A server that takes a build, and the key for which the build's key is sealed. */
const SealedFor = z.strictObject({ server_id: ServerId, seal_key: SealKey });
export type SealedFor = z.infer<typeof SealedFor>;

/**
 * The server builds for others. `for`: the servers that take the build, whose boxes the artifact needs. After the build and
 * before it asks for the permit, the agent sends the parts, and then the event `artifact`.
 * `only`: the server builds and serves nothing of the project: after the event its run ends with the result `built`.
 */
const MakeArtifact = z.strictObject({
  type: z.literal("make"),
  for: listUpTo(SealedFor, MAX_BOXES),
  only: z.boolean(),
});

/**
 * The server takes a build. `artifact.boxes` can have boxes of other servers too. With `reuse_release`, it takes the build only
 * if the files of that release are not complete.
 * `required`: no server has built it, so the agent cannot either. Otherwise it builds by itself, and says in the log why, if
 * the artifact is for another platform, has no box for it, or is no longer stored (404).
 */
const TakeArtifact = z.strictObject({
  type: z.literal("take"),
  artifact: Artifact,
  required: z.boolean(),
});

/** What a run has to do with an artifact. */
export const ArtifactTask = z.discriminatedUnion("type", [MakeArtifact, TakeArtifact]);
export type ArtifactTask = z.infer<typeof ArtifactTask>;

/** The number of a part in a path: from 1, without leading zeros. */
export const PartNumber = textLike(/^[1-9]\d?$/, `must be a number from 1 to ${MAX_ARTIFACT_PARTS}`).check(
  z.refine((part) => Number(part) <= MAX_ARTIFACT_PARTS, `must be a number from 1 to ${MAX_ARTIFACT_PARTS}`),
);

type PartPlace = { readonly projectId: ProjectId; readonly sha256: ArtifactDigest; readonly part: number };

/**
 * The path of a part for agents: PUT with its bytes answers 204, GET answers 200 with its bytes. Both with the agent's
 * credential. PUT is for the builder of a run that has not ended, GET for the servers of the project.
 */
export function agentArtifactPath({ projectId, sha256, part }: PartPlace): string {
  return `/v1/agent/artifacts/${projectId}/${sha256}/${part}`;
}

/** The path of a part for clients: PUT with its bytes answers 204. */
export function clientArtifactPath({ projectId, sha256, part }: PartPlace): string {
  return `/v1/projects/${projectId}/artifacts/${sha256}/${part}`;
}
