import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { HookRows, HookWithSecret, PushRows } from "#contract/endpoints/hooks/schemas.ts";
import type { RepositoryTested } from "#contract/endpoints/projects/repository-access.ts";
import { repositoryKey } from "#contract/forge.ts";
import { AccountId } from "#contract/ids.ts";
import { createToken } from "../../../support/worker/account.ts";
import { call } from "../../../support/worker/call.ts";
import { delivered, giteaBody, SHA_AFTER, SHA_BEFORE } from "../../../support/worker/deliveries.ts";
import { TestProject } from "../../../support/worker/project.ts";

const secret = "https://git.test/shop.git";
const own = "https://git.test/mine.git";

const denied = { ok: false, code: "access_denied", message: "no", tried: "" } as const;
const passed = { ok: true, branch: "main", commit_sha: SHA_AFTER, tried: "", host_key: null } as const;

/** A project that names a repository with a hook, and what a token that is limited to the project gets. */
async function naming(repository = secret) {
  const project = await TestProject.create({ repository });
  const created = await project.post("/v1/hooks", { forge: "gitea", repository: secret });
  const hook = HookWithSecret.parse(await created.json());
  const account = z.object({ id: AccountId });
  const { id } = account.parse(await (await project.get("/v1/account")).json());
  const { secret: token } = await createToken(id, { projectIds: [project.id] });
  const limited = async (path: string) => await call(path, { token });
  const seen = async () => ({
    hooks: HookRows.parse(await (await limited("/v1/hooks")).json()).hooks.map((one) => one.id),
    hook: (await limited(`/v1/hooks/${hook.id}/pushes`)).status,
    pushes: PushRows.parse(await (await limited(`/v1/projects/${project.id}/pushes`)).json()).pushes,
  });
  return { project, hook, token, limited, seen };
}

async function ledgerOf(project: TestProject) {
  return PushRows.parse(await (await project.get(`/v1/projects/${project.id}/pushes`)).json()).pushes;
}

async function deploymentsOf(project: TestProject): Promise<number> {
  const response = await project.get(`/v1/deployments?project_id=${project.id}`);
  return z.object({ deployments: z.array(z.unknown()) }).parse(await response.json()).deployments.length;
}

/** Answers the request to read the repository after `count` others. */
async function answers({ agent }: TestProject, result: RepositoryTested, count: number): Promise<void> {
  const request = await vi.waitFor(() => {
    const found = agent.received.filter((message) => message.type === "test_repository").at(count);
    if (found === undefined) throw new Error("no request");
    return found;
  });
  const { request_id, project_id } = request;
  agent.answer({ type: "repository_tested", request_id, project_id, result });
}

async function readOf({ id }: TestProject): Promise<unknown> {
  const statement = env.DB.prepare("SELECT read_repository AS key FROM projects WHERE id = ?").bind(id);
  return (await statement.first<{ key: string | null }>())?.key;
}

describe("a repository that the project's server has not read", () => {
  it("shows a limited token neither its hook nor its pushes, and starts nothing", async () => {
    const { project, hook, token, seen } = await naming(own);
    await project.patch({ repository: secret });
    const answer = await delivered(hook);
    expect(answer).toMatchObject({
      decision: "refused",
      refused: [{ reason: "repository_unread", detail: expect.stringContaining("(server_offline)") }],
    });
    expect(await seen()).toEqual({ hooks: [], hook: 404, pushes: [] });
    const [push, ...others] = await ledgerOf(project);
    expect(others).toEqual([]);
    expect(push).toMatchObject({
      reason: "repository_unread",
      headline: "Webhooks Yay!",
      deployment_id: null,
    });
    const replay = { method: "POST", token, body: {} };
    expect((await call(`/v1/hooks/${hook.id}/pushes/${push?.id}/replay`, replay)).status).toBe(404);
    expect(await deploymentsOf(project)).toBe(0);
  });

  it("is read at the first push, which starts a deployment as every other", async () => {
    const { project, hook, seen } = await naming();
    project.agent.answersRequests = true;
    await project.agent.connect();
    await project.agent.receives("welcome");
    expect(await delivered(hook)).toMatchObject({ decision: "deployed" });
    const next = giteaBody({ before: SHA_BEFORE, after: SHA_AFTER });
    expect(await delivered(hook, next)).toMatchObject({ decision: "deployed" });
    expect(await seen()).toMatchObject({ hooks: [hook.id], hook: 200, pushes: [{}, {}] });
    const tests = project.agent.received.filter(({ type }) => type === "test_repository");
    expect(tests).toHaveLength(1);
    // Another repository is another right.
    await project.patch({ repository: "https://git.test/another.git" });
    expect((await seen()).hooks).toEqual([]);
  });

  it("that the server cannot read keeps its pushes until somebody tests it with success", async () => {
    const { project, hook, seen } = await naming();
    await project.agent.connect({ deployKeys: [] });
    await project.agent.receives("welcome");
    const delivery = delivered(hook);
    await answers(project, denied, 0);
    expect(await delivery).toMatchObject({ refused: [{ reason: "repository_unread" }] });
    const testing = project.post(`/v1/projects/${project.id}/repository-test`, {});
    await answers(project, passed, 1);
    expect((await testing).status).toBe(200);
    await vi.waitFor(async () =>
      expect(await ledgerOf(project)).toMatchObject([{ decision: "deployed", source: "hook" }]),
    );
    expect(await deploymentsOf(project)).toBe(1);
    expect(await seen()).toMatchObject({ hooks: [hook.id], pushes: [{ headline: "Webhooks Yay!" }] });
  });

  it("is read some moments later if the server could not read it for a moment", async () => {
    const { project, hook } = await naming();
    await project.agent.connect({ deployKeys: [] });
    await project.agent.receives("welcome");
    const delivery = delivered(hook);
    await answers(project, { ...denied, code: "unreachable" }, 0);
    expect(await delivery).toMatchObject({ refused: [{ reason: "repository_unread" }] });
    await answers(project, { ...denied, code: "unreachable" }, 1);
    project.agent.answersRequests = true;
    await vi.waitFor(
      async () => expect(await ledgerOf(project)).toMatchObject([{ decision: "deployed", source: "hook" }]),
      20_000,
    );
  });

  it("shows none of its pushes after the project has named another one, which its server can read", async () => {
    const { project, hook, seen } = await naming();
    await delivered(hook);
    await project.patch({ repository: own });
    project.agent.answersRequests = true;
    await project.agent.connect();
    await project.agent.receives("welcome");
    expect((await project.post(`/v1/projects/${project.id}/repository-test`, {})).status).toBe(200);
    await vi.waitFor(async () => expect(await readOf(project)).toBe(repositoryKey(own)));
    const [push] = await ledgerOf(project);
    const replay = await project.post(`/v1/hooks/${hook.id}/pushes/${push?.id}/replay`, {});
    expect(await replay.json()).toMatchObject({ pushes: [{ decision: "ignored", reason: "no_project" }] });
    expect(await seen()).toEqual({ hooks: [], hook: 404, pushes: [] });
    expect(await deploymentsOf(project)).toBe(0);
  });

  it("is read when its server connects, and the newest push of each branch is decided", async () => {
    const { project, hook } = await naming();
    const pushed = async (branch: string, after: string) =>
      await delivered(hook, giteaBody({ ref: `refs/heads/${branch}`, after }));
    await pushed("main", SHA_AFTER);
    await pushed("next", SHA_AFTER);
    await pushed("main", "3".repeat(40));
    project.agent.answersRequests = true;
    await project.agent.connect();
    await vi.waitFor(async () =>
      expect((await ledgerOf(project)).map(({ ref, reason }) => [ref, reason])).toEqual([
        ["refs/heads/main", null],
        ["refs/heads/next", "branch_not_watched"],
        ["refs/heads/main", "repository_unread"],
      ]),
    );
    expect(await deploymentsOf(project)).toBe(1);
  });

  it("is read by a deployment of a branch, and not by a commit that the server may have", async () => {
    const project = await TestProject.connected({ repository: own });
    await project.deploy({ commit: SHA_AFTER });
    expect(await readOf(project)).toBeNull();
    await project.deploy();
    await vi.waitFor(async () => expect(await readOf(project)).toBe(repositoryKey(own)));
    await project.deploy();
    await project.patch({ repository: secret });
    const back = await project.rollBack();
    await project.agent.completes(await project.agent.orderOf(back.id));
    await project.reaches(back.id, "live");
    expect(await readOf(project)).toBe(repositoryKey(own));
  });
});
