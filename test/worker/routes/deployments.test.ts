import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";

import {
  Deployment,
  DeploymentRows,
  Deployments,
  DeploymentStarted,
} from "#contract/endpoints/deployments/schemas.ts";
import { createAccount, ids } from "../../support/worker/account.ts";
import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import { createWorld } from "../../support/worker/world.ts";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function listOf(project: TestProject, query = ""): Promise<DeploymentRows> {
  const response = await project.get(`/v1/projects/${project.id}/deployments${query}`);
  return DeploymentRows.parse(await response.json());
}

async function listAll(project: TestProject, query = ""): Promise<Deployments> {
  return Deployments.parse(await (await project.get(`/v1/deployments${query}`)).json());
}

/** Follows the Link headers. @returns the versions on each page */
async function pages(project: TestProject, path: string, between = async () => {}): Promise<number[][]> {
  const found: number[][] = [];
  for (let next: string | null = path; next !== null;) {
    const response: Response = await project.get(next);
    const { deployments, next_cursor } = z.union([Deployments, DeploymentRows]).parse(await response.json());
    found.push(deployments.map(({ version }) => version));
    const link = response.headers.get("link");
    expect(link === null).toBe(next_cursor === null);
    next = link?.replace(/^<(.*)>; rel="next"$/, "$1").replace(ORIGIN, "") ?? null;
    await between();
  }
  return found;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a start", () => {
  it.each(["/v1/projects/PROJECT/deployments", "/v1/deploy"])(
    "by %s returns exactly id, status and version, and a Location header",
    async (path) => {
      const project = await TestProject.create();
      const body = path === "/v1/deploy" ? { project_id: project.id } : {};
      const response = await project.post(path.replace("PROJECT", project.id), body);
      expect(response.status).toBe(201);
      const started = DeploymentStarted.parse(await response.json());
      expect(started).toEqual({ id: started.id, status: "building", version: 1 });
      expect(response.headers.get("location")).toBe(`/v1/deployments/${started.id}`);
      expect((await project.get(`/v1/deployments/${started.id}`)).status).toBe(200);
    },
  );

  it.each([
    [{ branch: "-x" }, "/branch"],
    [{ branch: "a..b" }, "/branch"],
    [{ branch: "refs/heads/main" }, "/branch"],
    [{ branch: "" }, "/branch"],
    [{ commit: "abc" }, "/commit"],
    [{ commit: "--help" }, "/commit"],
    [{ brnach: "main" }, "/brnach"],
  ])("is refused with %j, and nothing is deployed", async (body, pointer) => {
    const project = await TestProject.create();
    const response = await project.post(`/v1/projects/${project.id}/deployments`, body);
    expect(response.status).toBe(422);
    expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect((await listOf(project)).deployments).toEqual([]);
  });
});

describe("a deployment", () => {
  it("has all details while it waits for its server", async () => {
    const project = await TestProject.create();
    const { id } = await project.start({ branch: "feature/x", commit: "0123456789" });
    expect(await project.deployment(id)).toEqual({
      id,
      status: "building",
      version: 1,
      branch: "feature/x",
      commit: null,
      duration: 0,
      created_at: TIME,
      project_id: project.id,
      server_id: project.agent.serverId,
      kind: "deploy",
      rollback_of: null,
      stage: "queued",
      deadline_at: TIME,
      waiting_on: { type: "server", id: project.agent.serverId },
      trigger: "api",
      actor: { type: "token", id: expect.stringMatching(/^tok_/), name: "test" },
      commit_sha: null,
      commit_message: null,
      started_at: null,
      finished_at: null,
      failure: null,
      evidence: null,
      release_kept: false,
      stages: [],
      variables_revision: null,
      clear_cache: false,
      runs: [],
      build: null,
      approved_by: null,
      changes: null,
      emergency: null,
    });
  });

  it("that ended before its commit was resolved keeps the requested commit", async () => {
    const project = await TestProject.create();
    const { id } = await project.start({ branch: "feature/x", commit: "0123456789" });
    expect((await project.post(`/v1/deployments/${id}/cancel`)).ok).toBe(true);
    const ended = { status: "canceled", commit: "0123456", commit_sha: null };
    expect(await project.deployment(id)).toMatchObject(ended);
    expect((await listOf(project)).deployments).toMatchObject([{ id, commit: "0123456" }]);
    const branchOnly = await project.start();
    await project.post(`/v1/deployments/${branchOnly.id}/cancel`);
    expect(await project.deployment(branchOnly.id)).toMatchObject({ status: "canceled", commit: null });
  });

  it("has all details when it is live", async () => {
    const project = await TestProject.connected();
    const { id } = await project.deploy();
    const deployment = await project.deployment(id);
    expect(deployment).toMatchObject({
      status: "live",
      stage: null,
      waiting_on: null,
      commit: "0123456",
      commit_message: "Change the title",
      evidence: { target: "releases/1" },
      release_kept: true,
      started_at: TIME,
      finished_at: TIME,
    });
    const ran = Date.parse(deployment.finished_at ?? "") - Date.parse(deployment.started_at ?? "");
    expect(deployment.duration).toBe(ran / 1000);
  });

  it("shows its duration while it runs", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    await project.agent.reports(await project.agent.orderOf(id), { type: "stage", stage: "fetch" });
    await vi.waitFor(async () => expect((await project.deployment(id)).started_at).not.toBeNull());
    const { started_at } = await project.deployment(id);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(started_at ?? "") + 1_234 });
    expect((await project.deployment(id)).duration).toBe(1.234);
    expect((await listOf(project)).deployments).toMatchObject([{ id, duration: 1.234 }]);
  });

  it("is found with or without its project, but not with another project", async () => {
    const project = await TestProject.create();
    const { id } = await project.start();
    const direct = await project.deployment(id);
    const scoped = await project.get(`/v1/projects/${project.id}/deployments/${id}`);
    expect(Deployment.parse(await scoped.json())).toEqual(direct);
    expect((await project.get(`/v1/projects/${ids.project()}/deployments/${id}`)).status).toBe(404);
  });
});

describe("the deployments of a project", () => {
  it("are listed with exactly the fields of the specification, newest first", async () => {
    const project = await TestProject.create();
    const first = await project.start();
    const second = await project.start({ branch: "dev" });
    expect(await listOf(project)).toEqual({
      deployments: [
        {
          id: second.id,
          status: "building",
          version: 2,
          branch: "dev",
          commit: null,
          duration: 0,
          created_at: TIME,
        },
        {
          id: first.id,
          status: "building",
          version: 1,
          branch: "main",
          commit: null,
          duration: 0,
          created_at: TIME,
        },
      ],
      next_cursor: null,
    });
  });

  it("are an empty list in a new project, and 404 in a project that does not exist", async () => {
    const project = await TestProject.create();
    expect(await listOf(project)).toEqual({ deployments: [], next_cursor: null });
    expect((await project.get(`/v1/projects/${ids.project()}/deployments`)).status).toBe(404);
  });

  it("are filtered by status, branch and commit", async () => {
    const project = await TestProject.connected();
    const live = await project.deploy();
    const queued = await project.start({ branch: "dev" });
    const found = async (query: string) =>
      (await listOf(project, `?${query}`)).deployments.map((deployment) => deployment.id);
    expect(await found("status=live")).toEqual([live.id]);
    expect(await found("status=live,building")).toEqual([queued.id, live.id]);
    expect(await found("status=failed")).toEqual([]);
    expect(await found("branch=dev")).toEqual([queued.id]);
    expect(await found("branch=de")).toEqual([]);
    expect(await found("commit=0123456")).toEqual([live.id]);
    expect(await found("commit=0123456789ABCDEF")).toEqual([live.id]);
    expect(await found("commit=0123456789abcdef0123456789abcdef01234567")).toEqual([live.id]);
    expect(await found("commit=1234567")).toEqual([]);
    expect(await found(`commit=${"0".repeat(64)}`)).toEqual([]);
  });

  it("show the first in the queue, and how many are ahead of each", async () => {
    const project = await TestProject.connected();
    const [first, second, third] = [await project.start(), await project.start(), await project.start()];
    await project.agent.reports(await project.agent.orderOf(first.id), { type: "stage", stage: "fetch" });
    await vi.waitFor(async () => expect((await project.deployment(first.id)).stage).toBe("fetch"));
    const { deployments } = await listAll(project);
    expect(deployments.map((deployment) => deployment.waiting_on)).toEqual([
      { type: "deployment", id: first.id, position: 2 },
      { type: "deployment", id: first.id, position: 1 },
      null,
    ]);
    expect([second.version, third.version]).toEqual([2, 3]);
  });

  it.each([
    "/v1/projects/PROJECT/deployments?limit=2",
    "/v1/deployments?limit=2",
    "/v1/deployments?limit=2&project_id=PROJECT",
  ])("come in pages at %s, each once, whatever is started and deleted meanwhile", async (path) => {
    const project = await TestProject.create();
    for (let version = 1; version <= 5; version += 1) await project.start();
    const found = await pages(project, path.replace("PROJECT", project.id), async () => {
      await project.start();
    });
    expect(found).toEqual([[5, 4], [3, 2], [1]]);
  });

  it("continue after a cursor whose row was deleted", async () => {
    const project = await TestProject.create();
    const started = [await project.start(), await project.start(), await project.start()];
    const { next_cursor } = await listOf(project, "?limit=2");
    await env.DB.prepare("DELETE FROM deployments WHERE id = ?").bind(started[1]?.id).run();
    const rest = await listOf(project, `?cursor=${next_cursor}`);
    expect(rest.deployments.map((deployment) => deployment.version)).toEqual([1]);
  });

  it("refuse a cursor of another project or of the account's list", async () => {
    const project = await TestProject.create();
    for (let version = 1; version <= 3; version += 1) await project.start();
    const ofProject = (await listOf(project, "?limit=1")).next_cursor;
    const ofAll = (await listAll(project, "?limit=1")).next_cursor;
    const status = async (path: string) => (await project.get(path)).status;
    expect(await status(`/v1/projects/${project.id}/deployments?cursor=${ofAll}`)).toBe(422);
    expect(await status(`/v1/projects/${ids.project()}/deployments?cursor=${ofProject}`)).toBe(422);
    expect(await status(`/v1/deployments?cursor=${ofProject}`)).toBe(422);
    expect(await status(`/v1/deployments?cursor=${ofProject}&project_id=${project.id}`)).toBe(200);
  });
});

describe("the account", () => {
  it("is shown with the token of the request", async () => {
    const { id, token } = await createAccount("Ada");
    expect(await (await call("/v1/account", { token })).json()).toEqual({
      id,
      name: "Ada",
      log_retention_days: 90,
      deployment_retention_days: null,
      database_used_percent: null,
      has_owner: false,
      member: null,
      token: {
        id: expect.stringMatching(/^tok_/),
        name: "test",
        scopes: expect.arrayContaining(["deployments:write"]),
        project_ids: null,
        expires_at: TIME,
      },
      permissions: [{ scopes: expect.arrayContaining(["deployments:write"]), project_ids: null }],
    });
  });
});

describe("the log of a deployment", () => {
  it("has the media type that the client prefers, or JSON if it accepts none of them", async () => {
    const { account, deploymentId } = await createWorld();
    const type = async (accept: string) => {
      const response = await call(`/v1/logs/${deploymentId}`, { token: account.token, headers: { accept } });
      expect(response.headers.get("vary")).toBe("accept");
      expect(response.headers.get("x-request-id")).not.toBeNull();
      await response.body?.cancel();
      return response.headers.get("content-type");
    };
    expect(await type("*/*")).toBe("application/json");
    expect(await type("text/plain")).toBe("text/plain; charset=utf-8");
    expect(await type("text/*;q=0.9, application/json;q=0.5")).toBe("text/plain; charset=utf-8");
    expect(await type("image/png")).toBe("application/json");
    expect(await type("application/x-ndjson")).toBe("application/x-ndjson");
    expect(await type("text/event-stream;q=0.2, application/x-ndjson;q=0.3")).toBe("application/x-ndjson");
    expect(await type("text/plain;q=0, text/*;q=0.8, application/json;q=0.7")).toBe("text/event-stream");
  });
});
