import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { agentArtifactPath, clientArtifactPath } from "#contract/artifact.ts";
import { FLEET } from "#contract/agent-protocol.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { serversOf } from "#contract/endpoints/variables/schemas.ts";
import { sweepArtifacts } from "#worker/schedule/sweep-artifacts.ts";
import { emptyReport } from "../../support/connected-agent/events.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import {
  type Made,
  makeBuild,
  octets as bytes,
  readPart,
  sendPart,
  startWith,
  stored,
  upload,
} from "../../support/worker/builds.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { resolved } from "../../support/worker/deploy-to-all.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { connectWithKeys, TestProject } from "../../support/worker/project.ts";
import { inDays, runRound } from "../../support/worker/schedule.ts";
import { SHA } from "../../support/model/model-agent.ts";

/** A project on two servers that a third one builds. All have seal keys. */
async function createBuilt() {
  const { project } = await TestProject.withKeys();
  const agents = [project.agent];
  for (const name of ["web-2", "builder"]) {
    const agent = await enrolAgent(project.token, name);
    await connectWithKeys(agent, project.token);
    agents.push(agent);
  }
  const [one, two, builder] = agents;
  if (one === undefined || two === undefined || builder === undefined) throw new Error("three agents");
  const servers = [{ id: one.serverId }, { id: two.serverId }];
  expect((await project.patch({ servers, build_on: builder.serverId })).status).toBe(200);
  return { project, one, two, builder };
}

/** Deploys what the builder makes. */
async function deployBuild(
  { project, one, two, builder }: Awaited<ReturnType<typeof createBuilt>>,
  made: Made,
) {
  const { id } = await project.start();
  const order = await builder.orderOf(id);
  await builder.reports(order, resolved);
  expect((await sendPart(project, builder, made)).status).toBe(204);
  await builder.reports(order, { type: "artifact", artifact: made.artifact });
  await builder.reports(order, { type: "result", result: { outcome: "built" }, project: emptyReport(order) });
  const first = await one.orderOf(id);
  await one.reports(first, { ...resolved, commit_message: "" }, { type: "ready" });
  const second = await two.orderOf(id);
  await two.reports(second, { ...resolved, commit_message: "" }, { type: "ready" });
  await one.completes({ ...first, reuse_release: first.version });
  await two.completes({ ...second, reuse_release: second.version });
  return { id, order, orders: [first, second] };
}

describe("a build for all servers of a project", () => {
  it("goes from the builder through R2 to the others, and the deployment says who built it", async () => {
    const built = await createBuilt();
    const { project, one, two, builder } = built;
    const made = await makeBuild("the files of version 1");
    const { id, order, orders } = await deployBuild(built, made);
    const keys = serversOf(await project.variables());
    expect(order.artifact).toEqual({
      type: "make",
      for: [one, two].map(({ serverId }) => {
        const key = keys.find((server) => server.server_id === serverId)?.seal_key;
        return { server_id: serverId, seal_key: key };
      }),
      only: true,
    });
    const take = { type: "take", artifact: made.artifact, required: false };
    expect(orders.map(({ artifact }) => artifact)).toEqual([take, take]);
    const live = await project.reaches(id, "live");
    const { sha256: hash, bytes: size } = made.artifact;
    expect(live.build).toEqual({ server_id: builder.serverId, sha256: hash, bytes: size });
    expect(live.runs.map(({ purpose, status }) => [purpose, status])).toEqual([
      ["build", "built"],
      ["deploy", "switched"],
      ["deploy", "switched"],
    ]);
    expect(live.commit_message).toBe(resolved.commit_message);
  });

  it("takes parts only from the builder while it builds, and gives them only to servers with a run", async () => {
    const { project, one, two, builder } = await createBuilt();
    const made = await makeBuild("a part");
    expect((await sendPart(project, builder, made)).status).toBe(404);
    const { id } = await project.start();
    const order = await builder.orderOf(id);
    await builder.reports(order, resolved);
    const stranger = (await TestProject.connected()).agent;
    for (const agent of [one, two, stranger]) expect((await sendPart(project, agent, made)).status).toBe(404);
    expect((await sendPart(project, builder, made, 65)).status).toBe(404);
    expect((await sendPart(project, builder, made)).status).toBe(204);
    // Not named by the deployment yet.
    expect((await readPart(project, one, made)).status).toBe(404);
    // A part that is stored stays as it is.
    const other = { ...made, content: Uint8Array.from(new TextEncoder().encode("b part")) };
    expect((await sendPart(project, builder, other)).status).toBe(204);
    await builder.reports(order, { type: "artifact", artifact: made.artifact });
    await one.orderOf(id);
    const part = await readPart(project, one, made);
    expect(part.headers.get("content-length")).toBe(String(made.artifact.bytes));
    expect(await part.text()).toBe("a part");
    expect((await readPart(project, one, made, 2)).status).toBe(404);
    expect((await readPart(project, stranger, made)).status).toBe(404);
    const path = agentArtifactPath({ projectId: project.id, sha256: made.artifact.sha256, part: 1 });
    expect((await call(path, { token: project.token })).status).toBe(401);
    expect((await call(path, { method: "DELETE", token: one.credential })).status).toBe(405);
  });

  it("is removed when two newer ones were live, and with the project", async () => {
    const built = await createBuilt();
    const builds = await Promise.all(["one", "two", "three"].map(async (text) => await makeBuild(text)));
    for (const made of builds) await deployBuild(built, made);
    const [, ...kept] = builds.map(({ artifact }) => artifact.sha256);
    await expect.poll(async () => await stored(built.project)).toEqual(kept.toSorted());
    await built.project.remove();
    await expect.poll(async () => await stored(built.project)).toEqual([]);
  });

  it("is refused before the start if the builder's agent is too old", async () => {
    const { project } = await TestProject.withKeys();
    const builder = await enrolAgent(project.token, "builder");
    builder.capabilities = [FLEET];
    await connectWithKeys(builder, project.token);
    await project.patch({ build_on: builder.serverId });
    const response = await project.post(`/v1/projects/${project.id}/deployments`);
    expect(await problemOf(response)).toMatchObject({ code: "agent_outdated" });
  });

  it("is sealed secrets for its builder too", async () => {
    const { project, builder } = await createBuilt();
    const { servers } = await project.variables();
    expect(serversOf(await project.variables()).map((one) => one.server_id)).toContain(builder.serverId);
    expect(servers).toHaveLength(3);
    await project.patch({ build_on: null });
    await project.set({ name: "KEY", value: "secret", secret: true });
    expect((await project.post(`/v1/projects/${project.id}/deployments`)).status).toBe(201);
    await project.patch({ build_on: builder.serverId });
    const response = await project.post(`/v1/projects/${project.id}/deployments`);
    expect(await problemOf(response)).toMatchObject({ code: "secrets_not_sealed" });
  });
});

describe("the server that builds for a project", () => {
  it("must be in the account, and cannot be deleted or changed by a token for some projects", async () => {
    const { project, one, builder } = await createBuilt();
    const unknown = await project.patch({ build_on: ids.server() });
    expect(await problemOf(unknown)).toMatchObject({
      code: "invalid_request",
      errors: [{ pointer: "/build_on" }],
    });
    const deleted = await project.call("DELETE", `/v1/servers/${builder.serverId}`);
    expect(await problemOf(deleted)).toMatchObject({ code: "server_in_use" });
    const { account_id } = await project.variables();
    const { secret } = await createToken(account_id, { projectIds: [project.id] });
    const ask = async (build_on: string | null) =>
      await call(`/v1/projects/${project.id}`, { method: "PATCH", token: secret, body: { build_on } });
    for (const other of [one.serverId, null])
      expect(await problemOf(await ask(other))).toMatchObject({ code: "insufficient_scope" });
    expect((await ask(builder.serverId)).status).toBe(200);
    expect((await project.patch({ build_on: null })).status).toBe(200);
    expect((await project.call("DELETE", `/v1/servers/${builder.serverId}`)).status).toBe(204);
  });

  it("reads the repository, and has the deploy key", async () => {
    const { project, builder } = await createBuilt();
    builder.answersRequests = true;
    await builder.connect();
    await builder.receives("welcome");
    await project.patch({ repository: "git@git.test:team/shop.git" });
    const key = await project.get(`/v1/projects/${project.id}/deploy-key`);
    expect(key.status).toBe(200);
    expect(builder.received.some(({ type }) => type === "make_deploy_key")).toBe(true);
    expect((await project.post(`/v1/projects/${project.id}/repository-test`, {})).status).toBe(200);
    expect(builder.received.some(({ type }) => type === "test_repository")).toBe(true);
  });
});

describe("a build that was made elsewhere", () => {
  it("is deployed when all of its parts are stored and all servers can open it", async () => {
    const { project, keys } = await TestProject.withKeys({ artifact_uploads: true });
    const made = await makeBuild("made in CI", [keys.sealKey.fingerprint]);
    const before = await startWith(project, made.artifact);
    expect(await problemOf(before)).toMatchObject({ code: "artifact_incomplete" });
    expect((await upload(project, made)).status).toBe(204);
    const shorter = await startWith(project, { ...made.artifact, bytes: 3 });
    expect(await problemOf(shorter)).toMatchObject({ code: "artifact_incomplete" });
    const sealedForNobody = await startWith(project, { ...made.artifact, boxes: {} });
    expect(await problemOf(sealedForNobody)).toMatchObject({ code: "artifact_unreadable" });
    const started = await startWith(project, made.artifact, { branch: "main" });
    expect(started.status).toBe(201);
    const { id } = DeploymentStarted.parse(await started.json());
    const order = await project.agent.orderOf(id);
    expect(order.artifact).toEqual({ type: "take", artifact: made.artifact, required: true });
    expect(order.source.commit).toBe(SHA);
    expect(await (await readPart(project, project.agent, made)).text()).toBe("made in CI");
    await project.agent.completes(order);
    const live = await project.reaches(id, "live");
    expect(live.build).toEqual({ server_id: null, sha256: made.artifact.sha256, bytes: made.artifact.bytes });
  });

  it("is refused by a project whose repository has images", async () => {
    const project = await TestProject.create({
      repository: "docker://images.example.com/shop",
      artifact_uploads: true,
    });
    const refused = {
      code: "artifact_not_allowed",
      detail: expect.stringContaining("has images"),
    };
    const made = await makeBuild("of files");
    expect(await problemOf(await upload(project, made))).toMatchObject(refused);
    expect(await problemOf(await startWith(project, made.artifact))).toMatchObject(refused);
  });

  it("is refused by a project that does not take it, and without the full hash of its commit", async () => {
    const project = await TestProject.create();
    const made = await makeBuild("not asked for");
    expect(await problemOf(await upload(project, made))).toMatchObject({ code: "artifact_not_allowed" });
    expect(await problemOf(await startWith(project, made.artifact))).toMatchObject({
      code: "artifact_not_allowed",
    });
    const short = await startWith(project, made.artifact, { commit: SHA.slice(0, 10) });
    expect(await problemOf(short)).toMatchObject({
      code: "invalid_request",
      errors: [{ pointer: "/commit" }],
    });
    const twoParts = await startWith(project, { ...made.artifact, parts: 2 });
    expect(await problemOf(twoParts)).toMatchObject({ errors: [{ pointer: "/artifact/parts" }] });
  });

  it("is refused before the start if an agent cannot take it", async () => {
    const project = await TestProject.create({ artifact_uploads: true });
    project.agent.capabilities = [FLEET];
    const { sealKey } = await connectWithKeys(project.agent, project.token);
    const made = await makeBuild("for an old agent", [sealKey.fingerprint]);
    await upload(project, made);
    expect(await problemOf(await startWith(project, made.artifact))).toMatchObject({
      code: "agent_outdated",
    });
  });

  it("refuses a part without a length, with another media type, and more than 32 MiB", async () => {
    const project = await TestProject.create({ artifact_uploads: true });
    const path = clientArtifactPath({ projectId: project.id, sha256: "0".repeat(64), part: 1 });
    const put = async (raw: BodyInit | null, headers: Record<string, string> = bytes) =>
      await problemOf(await call(path, { method: "PUT", token: project.token, raw, headers }));
    expect(await put(null)).toMatchObject({ code: "invalid_request" });
    // Its length is not known.
    const stream = new Blob(["x"]).stream().pipeThrough(new TransformStream());
    expect(await put(stream)).toMatchObject({ code: "invalid_request" });
    expect(await put("x", { "content-type": "text/plain" })).toMatchObject({
      code: "unsupported_media_type",
    });
    const tooLong = new Uint8Array(32 * 1024 * 1024 + 1);
    expect(await put(tooLong)).toMatchObject({ code: "body_too_large" });
  });

  it("is refused if the project has too many parts of unfinished uploads, also at the same time", async () => {
    const { project, keys } = await TestProject.withKeys({ artifact_uploads: true });
    const sha256 = "a".repeat(64);
    for (let part = 1; part <= 64; part += 1)
      for (const other of ["a", "b"])
        if (part < 64 || other === "a")
          await env.LOGS.put(`artifacts/${project.id}/${other.repeat(64)}/${part}`, "x");
    const made = await makeBuild("the last", [keys.sealKey.fingerprint]);
    const builds = await Promise.all(["one more", "another"].map(async (text) => await makeBuild(text)));
    const answers = await Promise.all([made, ...builds].map(async (one) => await upload(project, one)));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 204);
    for (const answer of refused) expect(await problemOf(answer)).toMatchObject({ code: "artifact_quota" });
    const again = clientArtifactPath({ projectId: project.id, sha256, part: 1 });
    const options = { method: "PUT", token: project.token, raw: "x", headers: bytes };
    expect((await call(again, options)).status).toBe(204);
  });

  it("is removed after a day if no deployment names it", async () => {
    const { project, keys } = await TestProject.withKeys({ artifact_uploads: true });
    const [named, forgotten] = [
      await makeBuild("named", [keys.sealKey.fingerprint]),
      await makeBuild("forgotten"),
    ];
    for (const made of [named, forgotten]) expect((await upload(project, made)).status).toBe(204);
    expect((await startWith(project, named.artifact)).status).toBe(201);
    expect(await runRound(sweepArtifacts)).toBe(0);
    expect(await stored(project)).toHaveLength(2);
    await inDays(1.1, async () => expect(await runRound(sweepArtifacts)).toBe(0));
    expect(await stored(project)).toEqual([named.artifact.sha256]);
  });
});
