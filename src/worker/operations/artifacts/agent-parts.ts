import type { Context as HonoContext } from "hono";
import * as z from "zod/mini";

import { ARTIFACT_PART_BYTES, ArtifactDigest, PartNumber } from "#contract/artifact.ts";
import { ProjectId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { ArtifactStore } from "#worker/artifacts/artifact-store.ts";
import type { AgentIdentity } from "#worker/db/servers/server-records.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { readUpload } from "#worker/http/read-upload.ts";

const Place = z.object({ project_id: ProjectId, sha256: ArtifactDigest, part: PartNumber });

/** One answer for all that is not there for this agent: it learns nothing about other projects. */
const notThere = refuse("not_found", "There is no such part for this server.");

/** Stores a part of a build, from the server that builds for others in the project's active deployment. */
export async function storeAgentPart(
  c: HonoContext<AppEnv>,
  { serverId }: AgentIdentity,
): Promise<Result<Response>> {
  const place = placeOf(c);
  if (place === null) return notThere;
  const upload = readUpload(c.req.raw, { maxBodyBytes: ARTIFACT_PART_BYTES });
  if (!upload.ok) return upload;
  const { projectId, sha256, part } = place;
  const { bytes } = upload.value;
  const lane = c.env.PROJECT_LANE.getByName(projectId);
  const reserved = await lane.reservePart(projectId, serverId, { sha256, part, bytes });
  if (!reserved.ok) return reserved.refusal.code === "not_found" ? notThere : reserved;
  await new ArtifactStore(c.env.LOGS).putPart({ projectId, sha256 }, part, upload.value.content);
  return succeed(new Response(null, { status: 204 }));
}

/** Streams a part of a build to a server that has a run of the project. */
export async function sendAgentPart(
  c: HonoContext<AppEnv>,
  { serverId }: AgentIdentity,
): Promise<Result<Response>> {
  const place = placeOf(c);
  if (place === null) return notThere;
  const { projectId, sha256, part } = place;
  if (!(await c.env.PROJECT_LANE.getByName(projectId).mayTakeBuild(serverId, sha256))) return notThere;
  const stored = await new ArtifactStore(c.env.LOGS).getPart({ projectId, sha256 }, part);
  if (stored === null) return notThere;
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": String(stored.size),
    "cache-control": "no-store",
  };
  return succeed(new Response(stored.body, { headers }));
}

function placeOf(c: HonoContext<AppEnv>) {
  const place = Place.safeParse(c.req.param());
  if (!place.success) return null;
  const { project_id: projectId, sha256, part } = place.data;
  return { projectId, sha256, part: Number(part) };
}
