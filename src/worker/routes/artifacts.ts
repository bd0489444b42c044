import { artifactEndpoints } from "#contract/endpoints/artifacts/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import { uploadArtifactPart } from "#worker/operations/artifacts/client-parts.ts";

export const artifactRoutes = forTokens(artifactEndpoints, {
  uploadArtifactPart: (context, { params, upload }) => {
    const { project_id: projectId, sha256, part } = params;
    if (upload === null) throw new Error("an endpoint that takes bytes has them");
    return answer(uploadArtifactPart(context, { projectId, sha256, part: Number(part) }, upload));
  },
});
