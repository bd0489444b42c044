import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { agentArtifactPath, type Artifact, clientArtifactPath } from "#contract/artifact.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { toHex } from "#sealing/bytes.ts";
import { call } from "../../support/worker/call.ts";
import { faultKinds, Faults, setUpForFaults } from "../../support/worker/faults.ts";
import { laneOf, TestProject } from "../../support/worker/project.ts";
import { SHA } from "../../support/model/model-agent.ts";

setUpForFaults();

const headers = { "content-type": "application/octet-stream" };

async function makeBuild(text: string, fingerprint: string): Promise<Artifact> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const boxes = { [fingerprint]: "A".repeat(107) };
  return { sha256: toHex(new Uint8Array(hash)), bytes: text.length, parts: 1, platform: null, boxes };
}

const upload = async ({ id, token }: TestProject, { sha256 }: Artifact, raw: string) =>
  await call(clientArtifactPath({ projectId: id, sha256, part: 1 }), { method: "PUT", token, raw, headers });

const read = async ({ id, agent }: TestProject, { sha256 }: Artifact) =>
  await call(agentArtifactPath({ projectId: id, sha256, part: 1 }), { token: agent.credential });

async function start(project: TestProject, artifact: Artifact) {
  const response = await project.post(`/v1/projects/${project.id}/deployments`, { commit: SHA, artifact });
  return DeploymentStarted.parse(await response.json()).id;
}

/** Uploads a build and makes it live. */
async function deploy(project: TestProject, text: string, fingerprint: string): Promise<void> {
  const artifact = await makeBuild(text, fingerprint);
  expect((await upload(project, artifact, text)).status).toBe(204);
  const id = await start(project, artifact);
  await project.agent.completes(await project.agent.orderOf(id));
  await project.reaches(id, "live");
}

const stored = async ({ id }: TestProject) =>
  (await env.LOGS.list({ prefix: `artifacts/${id}/` })).objects.map(({ key }) => key.split("/")[2]);

describe("a part of a build while R2 does not answer", () => {
  it("is neither stored nor sent, and both can be repeated", async () => {
    const { project, keys } = await TestProject.withKeys({ artifact_uploads: true });
    const artifact = await makeBuild("one", keys.sealKey.fingerprint);
    const faults = new Faults();
    faults.disable("r2");
    expect((await upload(project, artifact, "one")).status).toBe(503);
    faults.enable("r2");
    expect((await upload(project, artifact, "one")).status).toBe(204);
    await project.agent.orderOf(await start(project, artifact));
    faults.disable("r2");
    expect((await read(project, artifact)).status).toBe(503);
    faults.enable("r2");
    expect(await (await read(project, artifact)).text()).toBe("one");
  });
});

describe("a build that no deployment needs", () => {
  it.each(faultKinds)("is removed from R2 at last if its removal is %s", async (kind) => {
    const { project, keys } = await TestProject.withKeys({ artifact_uploads: true });
    const { fingerprint } = keys.sealKey;
    for (const text of ["one", "two"]) await deploy(project, text, fingerprint);
    const artifact = await makeBuild("three", fingerprint);
    expect((await upload(project, artifact, "three")).status).toBe(204);
    const id = await start(project, artifact);
    const order = await project.agent.orderOf(id);
    const faults = new Faults();
    faults.count(null);
    await project.agent.completes(order);
    await project.reaches(id, "live");
    await expect.poll(async () => (await stored(project)).length).toBe(2);
    const at = faults.stop().lastIndexOf("r2 delete");
    expect(at).toBeGreaterThan(-1);
    // The same again, with the fault at the removal.
    const next = await makeBuild("four", fingerprint);
    await upload(project, next, "four");
    const nextId = await start(project, next);
    const nextOrder = await project.agent.orderOf(nextId);
    faults.count(at, kind, [() => laneOf(project)]);
    await project.agent.completes(nextOrder);
    await project.reaches(nextId, "live");
    await expect
      .poll(async () => new Set(await stored(project)), { timeout: 20_000 })
      .toEqual(new Set([artifact.sha256, next.sha256]));
    faults.stop();
  });
});
