import { env } from "cloudflare:workers";

import { agentArtifactPath, type Artifact, clientArtifactPath } from "#contract/artifact.ts";
import { toHex } from "#sealing/bytes.ts";
import type { ConnectedAgent } from "../connected-agent/connected-agent.ts";
import { SHA } from "../model/model-agent.ts";
import { call } from "./call.ts";
import type { TestProject } from "./project.ts";

/** A build and its one part. */
export type Made = { readonly artifact: Artifact; readonly content: Uint8Array<ArrayBuffer> };

/** A build of one part. @param boxes the fingerprints of the keys for which it is sealed */
export async function makeBuild(text: string, boxes: readonly string[] = []): Promise<Made> {
  const content = Uint8Array.from(new TextEncoder().encode(text));
  const hash = await crypto.subtle.digest("SHA-256", content);
  const artifact = {
    ...{ sha256: toHex(new Uint8Array(hash)), bytes: content.length, parts: 1, platform: null },
    boxes: Object.fromEntries(boxes.map((fingerprint) => [fingerprint, "A".repeat(107)])),
  };
  return { artifact, content };
}

/** The header of a part. */
export const octets = { "content-type": "application/octet-stream" };

/** The builder stores a part. */
export async function sendPart(
  project: TestProject,
  agent: ConnectedAgent,
  { artifact, content }: Made,
  part = 1,
) {
  const path = agentArtifactPath({ projectId: project.id, sha256: artifact.sha256, part });
  return await call(path, { method: "PUT", token: agent.credential, raw: content, headers: octets });
}

/** A server reads a part. */
export async function readPart(project: TestProject, agent: ConnectedAgent, { artifact }: Made, part = 1) {
  const path = agentArtifactPath({ projectId: project.id, sha256: artifact.sha256, part });
  return await call(path, { token: agent.credential });
}

/** A client stores the only part of a build. */
export async function upload(project: TestProject, { artifact, content }: Made, token = project.token) {
  const path = clientArtifactPath({ projectId: project.id, sha256: artifact.sha256, part: 1 });
  return await call(path, { method: "PUT", token, raw: content, headers: octets });
}

/** Starts a deployment of an uploaded build. */
export const startWith = async (
  project: TestProject,
  artifact: Artifact,
  more: Record<string, unknown> = {},
) => await project.post(`/v1/projects/${project.id}/deployments`, { commit: SHA, artifact, ...more });

/** The names of the builds of a project that R2 has. */
export const stored = async ({ id }: TestProject) =>
  (await env.LOGS.list({ prefix: `artifacts/${id}/` })).objects.map(({ key }) => key.split("/")[2]);
