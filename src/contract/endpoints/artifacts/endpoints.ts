import * as z from "zod/mini";

import { ARTIFACT_PART_BYTES, ArtifactDigest, PartNumber } from "#contract/artifact.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { put, token } from "#contract/endpoints/endpoint-defaults.ts";
import { ProjectId } from "#contract/ids.ts";

export const artifactEndpoints = {
  uploadArtifactPart: {
    ...put("/v1/projects/:project_id/artifacts/:sha256/:part", token("deployments:write")),
    params: z.strictObject({ project_id: ProjectId, sha256: ArtifactDigest, part: PartNumber }),
    maxBodyBytes: ARTIFACT_PART_BYTES,
    success: { status: 204, body: null },
    problems: ["artifact_not_allowed", "artifact_quota"],
  },
} as const satisfies Record<string, Endpoint>;
