import { isImageRepository } from "#contract/addresses/repository-address.ts";
import type { ArtifactDigest } from "#contract/artifact.ts";
import type { StartDeploymentInput } from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { serversWithoutBox } from "#domain/sealed-secret.ts";
import { ArtifactStore } from "#worker/artifacts/artifact-store.ts";
import type { Context } from "#worker/context.ts";
import { findTakers } from "#worker/db/variables/artifact-servers.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { settingsOf } from "#worker/db/projects/settings-column.ts";
import type { ProjectToDeploy } from "#worker/db/variables/find-project-to-deploy.ts";
import type { Upload } from "#worker/http/read-upload.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { refuseTooOld } from "#worker/operations/servers/unfit-servers.ts";

type Part = { readonly projectId: ProjectId; readonly sha256: ArtifactDigest; readonly part: number };

/** Stores a part of a build that was made elsewhere, if the project has room for it. A part that is stored stays as it is. */
export async function uploadArtifactPart(
  { rows, logs, lanes, near }: Context,
  { projectId, sha256, part }: Part,
  { content, bytes }: Upload,
): Promise<Result<null, "not_found" | "artifact_not_allowed" | "artifact_quota">> {
  const project = await findProject(rows, projectId);
  if (project === null) return notFound("project");
  const refused = refuseUploads(settingsOf(project));
  if (refused !== null) return refused;
  const lane = lanes.getByName(projectId, near(project.serverLocation));
  const reserved = await lane.reservePart(projectId, null, { sha256, part, bytes });
  if (!reserved.ok) return reserved;
  await new ArtifactStore(logs).putPart({ projectId, sha256 }, part, content);
  return succeed(null);
}

type Artifact = NonNullable<StartDeploymentInput["artifact"]>;

/**
 * Refuses a start with a build that the project does not take, or that a server of the project cannot open. Costs a read of
 * D1. null: the lane decides whether it can start.
 */
export async function refuseArtifact(context: Context, { project }: ProjectToDeploy, artifact: Artifact) {
  const settings = settingsOf(project);
  const refused = refuseUploads(settings);
  if (refused !== null) return refused;
  const takers = await findTakers(
    context.rows,
    settings.servers.map(({ id }) => id),
  );
  const outdated = takers.filter(({ takesArtifacts }) => !takesArtifacts).map(({ name }) => name);
  const old = refuseTooOld(context, outdated, "to take a build that was made elsewhere");
  if (old !== null) return old;
  const without = serversWithoutBox(Object.keys(artifact.boxes), takers).map(({ name }) => name);
  if (without.length > 0)
    return refuse("artifact_unreadable", `The key of the build is not sealed for ${without.join(", ")}.`);
  return null;
}

function refuseUploads({
  artifact_uploads: isAllowed,
  repository,
}: {
  readonly artifact_uploads: boolean;
  readonly repository: string;
}) {
  if (isImageRepository(repository))
    return refuse(
      "artifact_not_allowed",
      "The repository of this project has images, so there are no files of a build to take.",
    );
  if (isAllowed) return null;
  return refuse(
    "artifact_not_allowed",
    "This project does not take builds that were made elsewhere: its setting `artifact_uploads` is `false`.",
  );
}
