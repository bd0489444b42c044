import { Artifact, Platform } from "#contract/artifact.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

export const artifactTexts = {
  uploadArtifactPart: {
    summary: "Upload a part of a build",
    description: prose`
      Stores one part of an encrypted build (\`artifact\`) that was made elsewhere, such as in CI. \`gantry deploy
      --artifact\` does this, and starts the deployment: it packs the build, encrypts it, and seals its key for the servers
      of the project. Gantry cannot read it.

      The body is the part itself, with \`Content-Type: application/octet-stream\` and its \`Content-Length\`. Each part has
      32 MiB (33,554,432 bytes), and the last one the rest. \`sha256\` in the path is the SHA-256 of all parts together, and
      \`part\` the number of the part, from 1 to 64. A part that is stored already stays as it is, so a retry is safe.

      After all parts, start the deployment with \`artifact\`. Parts that no deployment names are deleted after a day.

      The builds of a project can take 8 GiB, and the builds among them that no deployment names 128 parts. A part beyond
      that is refused with 409 \`artifact_quota\`.

      The project's setting \`artifact_uploads\` must be \`true\`, otherwise the response is 409 \`artifact_not_allowed\`.`,
  },
} as const satisfies Partial<OperationTexts>;

export const artifactSchemas = {
  Artifact: object(
    Artifact,
    "A build that servers take instead of building: an encrypted archive of its files.",
    {
      sha256: "The SHA-256 of all parts in order, in hexadecimal. It names the build.",
      bytes: "The size of all parts together, in bytes.",
      parts: "The number of parts. Each has 32 MiB, and the last one the rest.",
      platform: "What the build needs. `null`: it runs everywhere.",
      boxes:
        "The key of the build, sealed for each server that takes it: by the fingerprint of the server's seal key, a box in base64url.",
    },
  ),
  Platform: object(Platform, "The platform of a build.", {
    os: "The operating system, as Node's `process.platform`.",
    architecture: "The architecture, as Node's `process.arch`.",
    libc: "`glibc` or `musl`. `null`: neither.",
    home: "The path of the project's folder on the server, if files of the build contain it. `null`: none does.",
  }),
} satisfies Record<string, SchemaText>;
