import { env } from "cloudflare:workers";
import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";

import { DeploymentRows, DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { ServerCreated, ServerRows } from "#contract/endpoints/servers/schemas.ts";
import { sha256 } from "#sealing/bytes.ts";
import { createAccount, createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { TestProject } from "../../support/worker/project.ts";

const WithId = z.object({ id: z.string() });
const DAY_MS = 24 * 60 * 60 * 1000;

const key = (value: string) => ({ "idempotency-key": value });

async function versionsOf(project: TestProject): Promise<number[]> {
  const list = DeploymentRows.parse(
    await (await project.get(`/v1/projects/${project.id}/deployments`)).json(),
  );
  return list.deployments.map((one) => one.version);
}

describe("a request with an Idempotency-Key", () => {
  it("is carried out once, and retries get the same response, marked as replayed", async () => {
    const project = await TestProject.connected();
    const start = () => project.post("/v1/deploy", { project_id: project.id }, key("deploy-1"));
    const first = await start();
    const again = await start();
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(await again.json()).toEqual(await first.json());
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await versionsOf(project)).toEqual([1]);
  });

  it("is carried out once if it is sent twenty times at the same time", async () => {
    const project = await TestProject.connected();
    const started = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await project.post(`/v1/projects/${project.id}/deployments`, {}, key("race"));
        return DeploymentStarted.parse(await response.json()).id;
      }),
    );
    expect(new Set(started).size).toBe(1);
    expect(await versionsOf(project)).toEqual([1]);
  });

  it("creates one server if it is sent twice at the same time, with the same secret in both responses", async () => {
    const { token } = await createAccount();
    const create = async () => {
      const body = { name: "web-1", ip: "192.0.2.1" };
      const response = await call("/v1/servers", { method: "POST", token, body, headers: key("server") });
      const isReplayed = response.headers.has("idempotent-replayed");
      return { isReplayed, server: ServerCreated.parse(await response.json()) };
    };
    const pair = await Promise.all([create(), create()]);
    const [{ server: one }, { server: other }] = pair;
    expect(other).toEqual(one);
    expect(pair.filter(({ isReplayed }) => isReplayed)).toHaveLength(1);
    expect(await create()).toEqual({ isReplayed: true, server: one });
    const list = ServerRows.parse(await (await call("/v1/servers", { token })).json());
    expect(list.servers).toHaveLength(1);
    const enrolled = await call("/v1/agent/enroll", {
      method: "POST",
      body: { token: one.enrollment.token, hostname: "web-1", agent_version: "1" },
    });
    expect(enrolled.status).toBe(201);
  });

  it("finds the result of a try that died before its response was stored", async () => {
    const project = await TestProject.connected();
    const retry = () => project.post("/v1/deploy", { project_id: project.id }, key("died"));
    const first = DeploymentStarted.parse(await (await retry()).json());
    await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL").run();
    await abortAllDurableObjects();
    const again = await retry();
    expect(DeploymentStarted.parse(await again.json())).toEqual(first);
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(await versionsOf(project)).toEqual([1]);
    const body = { name: "second", server_id: project.agent.serverId, repository: "/srv/git/second.git" };
    const create = async () => await (await project.post("/v1/projects", body, key("project"))).json();
    const created = await create();
    await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL").run();
    expect(await create()).toEqual(created);
  });

  it("finds its result even if that was renamed in the meantime", async () => {
    const project = await TestProject.create();
    const { serverId } = project.agent;
    const creations = [
      ["/v1/projects", { name: "second", server_id: serverId, repository: "/srv/git/second.git" }],
      ["/v1/servers", { name: "second", ip: "192.0.2.2" }],
    ] as const;
    for (const [path, body] of creations) {
      const create = async () => await project.post(path, body, key(path));
      const { id } = WithId.parse(await (await create()).json());
      const renamed = await project.call("PATCH", `${path}/${id}`, { name: "renamed" });
      expect(renamed.status).toBe(200);
      if (path === "/v1/projects")
        await project.call("PATCH", `${path}/${id}`, { domain: "renamed.example.com" });
      await env.DB.prepare("UPDATE idempotency_keys SET answer = NULL").run();
      const again = await create();
      expect(again.status).toBe(201);
      expect(WithId.parse(await again.json()).id).toBe(id);
    }
  });

  it("is a new request after the key has expired, even if the project's lane has started nothing since", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const { id: accountId } = await createAccount();
    const { secret: token } = await createToken(accountId, { expiresAt: Date.now() + 30 * DAY_MS });
    const agent = await enrolAgent(token);
    const settings = { name: "shop", server_id: agent.serverId, repository: "/srv/git/shop.git" };
    const created = await call("/v1/projects", { method: "POST", token, body: settings });
    const { id: project_id } = Project.parse(await created.json());
    const start = async (body: object) => {
      const response = await call("/v1/deploy", { method: "POST", token, body, headers: key("weekly") });
      return DeploymentStarted.parse(await response.json());
    };
    const first = await start({ project_id });
    vi.setSystemTime(Date.now() + 7 * DAY_MS);
    const next = await start({ project_id, branch: "next" });
    expect([first.version, next.version]).toEqual([1, 2]);
    const deployment = await call(`/v1/deployments/${next.id}`, { token });
    expect(await deployment.json()).toMatchObject({ branch: "next" });
  });

  it("is refused without effect if the key was used for another request", async () => {
    const project = await TestProject.connected();
    await project.post("/v1/deploy", { project_id: project.id }, key("same"));
    const other = await project.post("/v1/deploy", { project_id: project.id, branch: "next" }, key("same"));
    expect(await problemOf(other)).toMatchObject({ status: 422, code: "idempotency_mismatch" });
    const elsewhere = await project.post("/v1/rollback", { project_id: project.id }, key("same"));
    expect(await problemOf(elsewhere)).toMatchObject({ code: "idempotency_mismatch" });
    expect(await versionsOf(project)).toEqual([1]);
  });

  it("is tried again after a refusal", async () => {
    const project = await TestProject.connected();
    const rollBack = () => project.post("/v1/rollback", { project_id: project.id }, key("back"));
    expect(await problemOf(await rollBack())).toMatchObject({ code: "no_rollback_target" });
    await project.deploy();
    await project.deploy();
    expect((await rollBack()).status).toBe(201);
  });

  it("is another request if the same key is sent with another token or account", async () => {
    const one = await TestProject.connected();
    const two = await TestProject.connected();
    for (const project of [one, two]) {
      const response = await project.post("/v1/deploy", { project_id: project.id }, key("shared"));
      expect([response.status, response.headers.get("idempotent-replayed")]).toEqual([201, null]);
    }
    const { results } = await env.DB.prepare("SELECT account_id FROM tokens").all<{ account_id: string }>();
    const accountId = results[0]?.account_id;
    const { secret } = await createToken((await createAccount()).id);
    expect(accountId).toBeDefined();
    const foreign = await call("/v1/deploy", {
      method: "POST",
      token: secret,
      body: { project_id: one.id },
      headers: key("shared"),
    });
    expect(foreign.status).toBe(404);
  });

  it("stores no secret in the database", async () => {
    const { token } = await createAccount();
    const body = { name: "web-1", ip: "192.0.2.1" };
    const created = await call("/v1/servers", { method: "POST", token, body, headers: key("server") });
    const { enrollment } = ServerCreated.parse(await created.json());
    const { results } = await env.DB.prepare("SELECT * FROM idempotency_keys").all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(enrollment.token);
  });

  it("stores no hash with which a password in the body can be tried out", async () => {
    const { token } = await createAccount();
    const body = { name: "web-1", ip: "192.0.2.1" };
    await call("/v1/servers", { method: "POST", token, body, headers: key("server") });
    const stored = await env.DB.prepare("SELECT fingerprint FROM idempotency_keys").first("fingerprint");
    const guessed = await sha256(JSON.stringify(["POST", "/v1/servers", null, body]));
    expect(stored).not.toBe(guessed);
  });

  it("is refused if the key is not visible ASCII or is too long", async () => {
    const project = await TestProject.create();
    for (const value of ["a b", "x".repeat(256)]) {
      const refused = await project.post("/v1/deploy", { project_id: project.id }, key(value));
      expect(await problemOf(refused)).toMatchObject({
        status: 422,
        errors: [{ pointer: "Idempotency-Key" }],
      });
    }
  });
});
