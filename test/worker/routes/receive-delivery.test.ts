import { describe, expect, it } from "vitest";
import { Event } from "#contract/endpoints/events/schemas.ts";
import { Hook, HookWithSecret } from "#contract/endpoints/hooks/schemas.ts";
import * as z from "zod";
import { problemOf } from "../../support/worker/call.ts";
import {
  deliver,
  delivered,
  giteaBody,
  hmac,
  repositoriesAreRead,
  send,
  SHA_AFTER,
  SHA_BEFORE,
} from "../../support/worker/deliveries.ts";
import { connectWithKeys, TestProject } from "../../support/worker/project.ts";
import { deploymentsOf, hooked, ofHook, pushesOf, repository } from "../../support/worker/hooked.ts";
const ofProject = (project: TestProject) => pushesOf(project, `/v1/projects/${project.id}/pushes`);

const commits = (...paths: string[]) => ({
  commits: [{ id: SHA_AFTER, message: "Change", added: [], removed: [], modified: paths }],
  total_commits: 1,
});

describe("a push to the project's branch", () => {
  it("starts a deployment of the branch, by who pushed", async () => {
    const { project, hook } = await hooked();
    const answer = await delivered(hook);
    expect(answer).toMatchObject({
      decision: "deployed",
      detail: "Started a deployment of shop.",
      deployments: [{ project: "shop", ref: "refs/heads/main", version: 1 }],
      ignored: [],
      refused: [],
    });
    const [deployment, ...others] = await deploymentsOf(project);
    expect(others).toEqual([]);
    expect(deployment).toMatchObject({
      id: answer.deployments[0]?.id,
      branch: "main",
      trigger: "push",
      actor: { type: "hook", id: hook.id, name: "gitea, Gitea or Forgejo" },
    });
    const [push, ...more] = await ofProject(project);
    expect(more).toEqual([]);
    expect(push).toMatchObject({
      hook_id: hook.id,
      source: "hook",
      event: "push",
      delivery_id: "2f1b6a20-c5f0-11f0-8de9-0242ac120002",
      ref: "refs/heads/main",
      headline: "Webhooks Yay!",
      pusher: "gitea",
      decision: "deployed",
      reason: null,
      deployment_id: deployment?.id,
    });
    expect(await ofHook(project, hook)).toEqual([push]);
  });

  it("deploys what the branch points to then, not the reported commit", async () => {
    const { project, hook } = await hooked();
    await project.agent.connect();
    const { deployments } = await delivered(hook);
    const order = await project.agent.orderOf(deployments[0]?.id ?? "");
    expect(order.source).toMatchObject({ branch: "main", commit: null });
  });

  it("starts one deployment with one row in the ledger, however often it is delivered", async () => {
    const { project, hook } = await hooked();
    const first = await delivered(hook);
    const again = await delivered(hook);
    expect(again).toMatchObject({
      decision: "ignored",
      detail: `The same delivery has started the deployment ${first.deployments[0]?.id} before.`,
    });
    const together = giteaBody({ after: SHA_AFTER });
    await Promise.all([1, 2, 3].map(() => delivered(hook, together)));
    const deployments = await deploymentsOf(project);
    expect(deployments).toHaveLength(2);
    const rows = await ofHook(project, hook);
    expect(rows.flatMap(({ deployment_id: id }) => id ?? []).toSorted()).toEqual(
      deployments.map(({ id }) => id).toSorted(),
    );
    expect(rows.flatMap(({ reason }) => reason ?? [])).toEqual(["duplicate", "duplicate", "duplicate"]);
  });

  it("decides again about a delivery that led to nothing, by the settings of that time", async () => {
    const { project, hook } = await hooked({ branch: "stable" });
    expect(await delivered(hook)).toMatchObject({
      decision: "ignored",
      detail: "The branch main is not selected. The project deploys stable.",
    });
    await project.patch({ deploy_on: { branches: ["ma*"] } });
    expect(await delivered(hook)).toMatchObject({ decision: "deployed" });
  });

  it("is received in a form, with its signature over the form", async () => {
    const { hook } = await hooked();
    const form = new URLSearchParams({ payload: JSON.stringify(giteaBody()) }).toString();
    const response = await send(hook, form, {
      "content-type": "application/x-www-form-urlencoded",
      "x-gitea-event": "push",
      "x-gitea-signature": await hmac(hook.secret, form),
    });
    expect(await response.json()).toMatchObject({ decision: "deployed" });
  });
});

it("deploys a tag at the commit that was pushed", async () => {
  const { project, hook } = await hooked({ deploy_on: { tags: ["v*"] } });
  await project.agent.connect();
  const tag = {
    ref: "refs/tags/v1",
    before: "0".repeat(40),
    commits: [],
    head_commit: { id: SHA_AFTER, message: "" },
  };
  const { deployments } = await delivered(hook, giteaBody(tag));
  const order = await project.agent.orderOf(deployments[0]?.id ?? "");
  expect(order.source).toMatchObject({ branch: "v1", commit: SHA_AFTER });
});

describe("several projects of a repository", () => {
  it("decide each for themselves", async () => {
    const { project, hook } = await hooked();
    const add = async (name: string, settings: Record<string, unknown>) =>
      await project.post("/v1/projects", {
        name,
        server_id: project.agent.serverId,
        repository: "git@git.test:shop.git",
        ...settings,
      });
    await add("docs", { deploy_on: { branches: ["docs"] } });
    await add("off", { deploy_on: { enabled: false } });
    await add("other", { repository: "https://git.test/shop-2.git" });
    await repositoriesAreRead();
    const answer = await delivered(hook);
    expect(answer.deployments.map(({ project: name }) => name)).toEqual(["shop"]);
    expect(answer.ignored.map(({ project: name, reason }) => [name, reason])).toEqual([
      ["docs", "branch_not_watched"],
      ["off", "disabled"],
    ]);
    expect(await ofHook(project, hook)).toHaveLength(3);
  });
});

describe("paths", () => {
  async function live(settings: Record<string, unknown>) {
    const { project, hook } = await hooked({ deploy_on: settings });
    await project.agent.connect();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.completes(order);
    await project.reaches(id, "live");
    const { commit_sha: commit } = await project.deployment(id);
    if (commit === null) throw new Error("the deployment has no commit");
    return { project, hook, commit };
  }

  it("skip a push that begins at the live commit, and pushes after it", async () => {
    const { project, hook, commit } = await live({ paths: ["apps/shop"] });
    const docs = { before: commit, after: SHA_BEFORE, ...commits("docs/a.md") };
    expect(await delivered(hook, giteaBody(docs))).toMatchObject({
      ignored: [{ reason: "paths_unchanged" }],
    });
    const more = { before: SHA_BEFORE, after: SHA_AFTER, ...commits("docs/b.md") };
    expect(await delivered(hook, giteaBody(more))).toMatchObject({
      ignored: [{ reason: "paths_unchanged" }],
    });
    // Other patterns might have selected the skipped push.
    await project.patch({ deploy_on: { ignore_paths: ["src"] } });
    const last = { before: SHA_AFTER, after: SHA_BEFORE, ...commits("docs/c.md") };
    expect(await delivered(hook, giteaBody(last))).toMatchObject({ decision: "deployed" });
    expect((await ofProject(project)).map(({ reason }) => reason)).toEqual([
      "paths_not_comparable",
      "paths_unchanged",
      "paths_unchanged",
    ]);
  });
});

describe("what is no push", () => {
  it("is received, and counted in one row an hour", async () => {
    const { project, hook } = await hooked();
    for (let count = 0; count < 3; count += 1)
      expect(await delivered(hook, { action: "opened" }, "issues")).toMatchObject({ decision: "ignored" });
    expect(await delivered(hook, giteaBody({ after: SHA_AFTER, before: SHA_AFTER }))).toMatchObject({
      detail: "The hook works. The settings of each project decide about the next push.",
    });
    expect(await delivered(hook, { ref: 1 })).toMatchObject({ decision: "refused" });
    const other = giteaBody({ repository: { full_name: "acme/other" } });
    expect(await delivered(hook, other)).toMatchObject({ decision: "refused" });
    const rows = await ofHook(project, hook);
    expect(rows.map(({ reason, count }) => [reason, count])).toEqual([
      ["other_repository", 1],
      ["malformed", 1],
      ["ping", 1],
      ["not_a_push", 3],
    ]);
    expect(await ofProject(project)).toEqual([]);
  });

  it("is a push without a project", async () => {
    const { project, hook } = await hooked();
    await project.patch({ repository: "https://git.test/moved.git" });
    expect(await delivered(hook)).toMatchObject({
      detail: "No project has the repository https://git.test/shop.git.",
    });
    expect(await ofHook(project, hook)).toMatchObject([{ project_id: null, reason: "no_project" }]);
  });
});

describe("a refused delivery", () => {
  it("says which repository it saw and which would be accepted, and the hook does not work until one is", async () => {
    const { project, hook } = await hooked();
    const { server_id } = z
      .object({ server_id: z.string() })
      .parse(await (await project.get(`/v1/projects/${project.id}`)).json());
    await project.post("/v1/projects", { name: "docs", server_id, repository });
    await delivered(hook);
    const other = giteaBody({ repository: { full_name: "acme/other" } });
    const answer = await delivered(hook, other);
    expect(answer.detail).toBe(
      "The delivery is about acme/other (repository.full_name). This hook is for https://git.test/shop.git: it accepts shop, of the projects docs, shop. After a rename, create another hook.",
    );
    const stateOf = async () => Hook.parse(await (await project.get(`/v1/hooks/${hook.id}`)).json());
    const refused = await stateOf();
    expect(refused.refused_reason).toBe("other_repository");
    expect(Date.parse(refused.refused_at ?? "")).toBeGreaterThanOrEqual(
      Date.parse(refused.received_at ?? ""),
    );
    expect((await ofHook(project, hook))[0]).toMatchObject({
      reason: "other_repository",
      detail: answer.detail,
    });
    expect((await delivered(hook, { ref: "refs/heads/main" })).detail).toBe(
      "The body is not what this kind of git host documents for a push: before is missing or wrong.",
    );
    const github = { "x-github-event": "push", "x-hub-signature-256": `sha256=${"0".repeat(64)}` };
    expect(await problemOf(await send(hook, "{}", github))).toMatchObject({
      detail: "The delivery has the headers of GitHub. This hook was created for Gitea or Forgejo.",
    });
  });

  it("is counted, with one event an hour", async () => {
    const { project, hook } = await hooked();
    for (let count = 0; count < 3; count += 1) {
      const response = await deliver({ ...hook, secret: "another-secret-than-that" });
      expect(response.status).toBe(401);
      expect(await problemOf(response)).toMatchObject({ code: "invalid_signature" });
    }
    await expect
      .poll(() => ofHook(project, hook))
      .toMatchObject([{ decision: "refused", reason: "bad_signature", count: 3, project_id: null }]);
    const read = await project.get(`/v1/hooks/${hook.id}`);
    expect(await read.json()).toMatchObject({ refused_reason: "bad_signature", received_at: null });
    const events = await project.get("/v1/events?type=hook.refused");
    const { events: found } = z.object({ events: z.array(Event) }).parse(await events.json());
    expect(found).toMatchObject([
      { type: "hook.refused", data: { hook: { id: hook.id, forge: "gitea", repository } } },
    ]);
    expect(await deploymentsOf(project)).toEqual([]);
  });

  it("is one with a signature, for a hook whose secret cannot sign", async () => {
    for (const length of [33, 37]) {
      const project = await TestProject.create({ repository });
      const secret = `whsec_${"A".repeat(length)}`;
      const created = await project.post("/v1/hooks", { forge: "gitlab", repository, secret });
      const hook = HookWithSecret.parse(await created.json());
      const signature = {
        "webhook-id": "1",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": `v1,${"A".repeat(43)}=`,
      };
      const response = await send(hook, "{}", { "x-gitlab-event": "Push Hook", ...signature });
      expect(await problemOf(response)).toMatchObject({ code: "invalid_signature" });
      const headers = { "x-gitlab-event": "Issue Hook", "x-gitlab-token": secret };
      expect(await (await send(hook, "{}", headers)).json()).toMatchObject({ decision: "ignored" });
    }
  });

  it("is a delivery that is too large, even if it is signed", async () => {
    const { hook } = await hooked();
    const response = await deliver(hook, giteaBody({ padding: "x".repeat(5 * 1024 * 1024) }));
    expect(await problemOf(response)).toMatchObject({ code: "body_too_large" });
  });
});

it("tells why a deployment could not be started", async () => {
  const { project } = await TestProject.withKeys({ repository });
  await repositoriesAreRead();
  const created = await project.post("/v1/hooks", { forge: "gitea", repository });
  const hook = HookWithSecret.parse(await created.json());
  await project.set({ name: "TOKEN", value: "not-a-real-token", secret: true });
  await connectWithKeys(project.agent, project.token);
  const answer = await delivered(hook);
  expect(answer).toMatchObject({
    decision: "refused",
    refused: [{ reason: "secrets_not_sealed", detail: expect.stringContaining("TOKEN") }],
  });
  expect(await ofProject(project)).toMatchObject([{ decision: "refused", deployment_id: null }]);
});

it("starts nothing while a server of the project has an agent that is too old for several", async () => {
  const { project, agents } = await TestProject.onServers(2, { repository });
  await repositoriesAreRead();
  const [, second] = agents;
  if (second === undefined) throw new Error("two servers");
  second.capabilities = [];
  await second.connect();
  const created = await project.post("/v1/hooks", { forge: "gitea", repository });
  const hook = HookWithSecret.parse(await created.json());
  expect(await delivered(hook)).toMatchObject({
    decision: "refused",
    refused: [{ reason: "agent_outdated", detail: expect.stringContaining("The agent of web-2 is too old") }],
  });
  expect(await deploymentsOf(project)).toEqual([]);
});

it("starts nothing while a server of a project with a Dockerfile has no containers", async () => {
  const project = await TestProject.connected({ repository, framework: "dockerfile" });
  await repositoriesAreRead();
  project.agent.containers = { engine: null, problem: "podman does not start." };
  await project.agent.connect();
  const created = await project.post("/v1/hooks", { forge: "gitea", repository });
  const hook = HookWithSecret.parse(await created.json());
  const refused = {
    reason: "containers_missing",
    detail: expect.stringContaining("web-1 cannot run containers"),
  };
  expect(await delivered(hook)).toMatchObject({ decision: "refused", refused: [refused] });
  expect(await deploymentsOf(project)).toEqual([]);
});

describe("a replay", () => {
  it("decides again, by the current settings, for who asks", async () => {
    const { project, hook } = await hooked({ branch: "stable" });
    await delivered(hook);
    const [ignored] = await ofProject(project);
    const replay = async () => await project.post(`/v1/hooks/${hook.id}/pushes/${ignored?.id}/replay`, {});
    const again = await replay();
    expect(again.status).toBe(201);
    expect(await again.json()).toMatchObject({
      pushes: [{ source: "replay", decision: "ignored", reason: "branch_not_watched" }],
    });
    await project.patch({ branch: "main" });
    expect(await (await replay()).json()).toMatchObject({
      pushes: [{ source: "replay", decision: "deployed", ref: "refs/heads/main" }],
    });
    const [deployment] = await deploymentsOf(project);
    expect(deployment).toMatchObject({ trigger: "push", actor: { type: "token", name: "test" } });
    expect(await ofProject(project)).toHaveLength(3);
  });

  it("needs a push", async () => {
    const { project, hook } = await hooked();
    await delivered(hook, {}, "issues");
    const [row] = await ofHook(project, hook);
    const response = await project.post(`/v1/hooks/${hook.id}/pushes/${row?.id}/replay`, {});
    expect(await problemOf(response)).toMatchObject({ code: "not_replayable" });
  });
});
