import { type Artifact, bytesOfPart } from "#contract/artifact.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse } from "#contract/problems.ts";
import { ArtifactStore } from "#worker/artifacts/artifact-store.ts";

/** Refuses a build whose parts are not all stored. One call of R2. null: they are. */
export async function refuseIncomplete(bucket: R2Bucket, projectId: ProjectId, artifact: Artifact) {
  const { sha256, parts } = artifact;
  const sizes = await new ArtifactStore(bucket).sizes({ projectId, sha256 });
  for (let part = 1; part <= parts; part += 1) {
    const wanted = bytesOfPart(artifact, part);
    const size = sizes.get(part);
    if (size === wanted) continue;
    const what = size === undefined ? "is not stored" : `has ${size} bytes, but must have ${wanted}`;
    return refuse("artifact_incomplete", `Part ${part} of the build ${what}.`);
  }
  return null;
}
