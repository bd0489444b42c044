import { beforeEach, describe, expect, it, vi } from "vitest";

import { DeployKey, type RepositoryTested } from "#contract/endpoints/projects/repository-access.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { createAccount, createToken, type TestAccount } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";

const BLOB = "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const KEY = `ssh-ed25519 ${BLOB} gantry-shop@web-1`;
const FINGERPRINT = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU";
const OTHER_KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf gantry-shop@web-2";
const SSH = "git@github.com:acme/shop.git";
const SHA = "8e8412f0c3b1d57a94e2f6a8b0c7d1e5f3a29b64";

let account: TestAccount;
let agent: ConnectedAgent;

beforeEach(async () => {
  account = await createAccount("acme");
  agent = await enrolAgent(account.token);
});

async function createProject(repository = SSH, serverId = agent.serverId, name = "shop"): Promise<Project> {
  const body = { name, server_id: serverId, repository };
  const response = await call("/v1/projects", { method: "POST", token: account.token, body });
  return Project.parse(await response.json());
}

const read = async (id: ProjectId) =>
  Project.parse(await (await call(`/v1/projects/${id}`, { token: account.token })).json());
const getKey = (id: ProjectId, token = account.token) => call(`/v1/projects/${id}/deploy-key`, { token });
const test = (id: ProjectId, body: unknown = {}, token = account.token) =>
  call(`/v1/projects/${id}/repository-test`, { method: "POST", token, body });

/** Answers the next request for a deploy key. */
async function makesKey(publicKey: string | null = KEY, of = agent): Promise<void> {
  const { request_id, project_id } = await of.receives("make_deploy_key");
  of.answer({
    type: "deploy_key",
    request_id,
    project_id,
    public_key: publicKey,
    message: "the disk is full",
  });
}

describe("the deploy key of a project", () => {
  it("is created by each of several servers when the first one's key is read", async () => {
    const other = await enrolAgent(account.token, "web-2");
    const project = await createProject("https://github.com/acme/shop.git");
    const servers = [{ id: agent.serverId }, { id: other.serverId }];
    const body = { repository: SSH, servers };
    await call(`/v1/projects/${project.id}`, { method: "PATCH", token: account.token, body });
    await agent.connect({ deployKeys: [] });
    await other.connect({ deployKeys: [] });
    const reading = getKey(project.id);
    await Promise.all([makesKey(), makesKey(OTHER_KEY, other)]);
    expect(DeployKey.parse(await (await reading).json()).public_key).toBe(KEY);
    await vi.waitFor(async () =>
      expect((await read(project.id)).servers_state.map((one) => one.deploy_key?.public_key)).toEqual([
        KEY,
        OTHER_KEY,
      ]),
    );
  });

  it("is asked for when a project with an ssh address is created, and is in its read then", async () => {
    await agent.connect({ deployKeys: [] });
    const project = await createProject();
    expect(project.deploy_key).toBeNull();
    await makesKey();
    await vi.waitFor(async () =>
      expect((await read(project.id)).deploy_key).toEqual({ public_key: KEY, fingerprint: FINGERPRINT }),
    );
    agent.cut();
    const key = DeployKey.parse(await (await getKey(project.id)).json());
    expect(key).toMatchObject({
      public_key: KEY,
      fingerprint: FINGERPRINT,
      forge: "github",
      settings_url: "https://github.com/acme/shop/settings/keys/new",
    });
  });

  it("is made when it is read for the first time", async () => {
    const project = await createProject("https://github.com/acme/shop");
    await agent.connect({ deployKeys: [] });
    const reading = getKey(project.id);
    await makesKey();
    const response = await reading;
    expect(response.status).toBe(200);
    expect(DeployKey.parse(await response.json()).fingerprint).toBe(FINGERPRINT);
  });

  it("cannot be read before the server has made it: without an agent, with an old one, and with a full disk", async () => {
    const project = await createProject();
    expect(await problemOf(await getKey(project.id))).toMatchObject({ status: 409, code: "server_offline" });
    await agent.connect();
    await vi.waitFor(async () =>
      expect(await problemOf(await getKey(project.id))).toMatchObject({
        status: 409,
        code: "agent_outdated",
      }),
    );
    await agent.connect({ deployKeys: [] });
    await vi.waitFor(() => expect(agent.received.filter(({ type }) => type === "welcome")).toHaveLength(2));
    const reading = getKey(project.id);
    await makesKey(null);
    const response = await reading;
    expect(response.headers.get("retry-after")).toBe("5");
    const problem = await problemOf(response);
    expect(problem).toMatchObject({ status: 503, code: "unavailable" });
    expect(problem.detail).toContain("the disk is full");
  });

  it("is replaced when a server that was installed again reports another", async () => {
    const project = await createProject();
    for (const public_key of [KEY, OTHER_KEY]) {
      await agent.connect({ deployKeys: [{ project_id: project.id, public_key }] });
      await vi.waitFor(async () => expect((await read(project.id)).deploy_key?.public_key).toBe(public_key));
    }
  });

  it("is forgotten when a server that was installed again no longer has it", async () => {
    const project = await createProject();
    const { id } = await createProject(SSH, agent.serverId, "blog");
    const both = [project.id, id].map((project_id) => ({ project_id, public_key: KEY }));
    await agent.connect({ deployKeys: both });
    await vi.waitFor(async () => expect((await read(id)).deploy_key?.public_key).toBe(KEY));
    // A key that all projects of a server share is only reported for deployed projects.
    await agent.connect({ deployKeys: both.slice(1) });
    await agent.receives("welcome");
    expect((await read(project.id)).deploy_key?.public_key).toBe(KEY);
    await agent.connect({ deployKeys: [] });
    await vi.waitFor(async () => expect((await read(project.id)).deploy_key).toBeNull());
    const reading = getKey(project.id);
    await makesKey(OTHER_KEY);
    expect(DeployKey.parse(await (await reading).json()).public_key).toBe(OTHER_KEY);
  });

  it("is not taken from a server that the project is not on", async () => {
    const other = await enrolAgent(account.token, "web-2");
    const project = await createProject();
    await agent.connect({ deployKeys: [{ project_id: project.id, public_key: KEY }] });
    await vi.waitFor(async () => expect((await read(project.id)).deploy_key?.public_key).toBe(KEY));
    await other.connect({ deployKeys: [{ project_id: project.id, public_key: OTHER_KEY }] });
    await other.receives("welcome");
    const stranger = await createAccount("stranger");
    const hostile = await enrolAgent(stranger.token);
    await hostile.connect({ deployKeys: [{ project_id: project.id, public_key: OTHER_KEY }] });
    await hostile.receives("welcome");
    expect((await read(project.id)).deploy_key?.public_key).toBe(KEY);
  });

  it("is the new server's after a move", async () => {
    const other = await enrolAgent(account.token, "web-2");
    const project = await createProject();
    await agent.connect({ deployKeys: [{ project_id: project.id, public_key: KEY }] });
    await vi.waitFor(async () => expect((await read(project.id)).deploy_key).not.toBeNull());
    const move = (server_id: string) =>
      call(`/v1/projects/${project.id}`, { method: "PATCH", token: account.token, body: { server_id } });
    // The same server: the key stays.
    expect(Project.parse(await (await move(agent.serverId)).json()).deploy_key?.public_key).toBe(KEY);
    await other.connect({ deployKeys: [] });
    await other.receives("welcome");
    expect(Project.parse(await (await move(other.serverId)).json()).deploy_key).toBeNull();
    await makesKey(OTHER_KEY, other);
    await vi.waitFor(async () => expect((await read(project.id)).deploy_key?.public_key).toBe(OTHER_KEY));
  });
});

describe("a repository test", () => {
  const passed: RepositoryTested = {
    ok: true,
    branch: "main",
    commit_sha: SHA,
    tried: `the deploy key ${FINGERPRINT}`,
    host_key: { host: "git.example.com", type: "ED25519", fingerprint: FINGERPRINT, is_new: true },
  };

  async function answers(result: RepositoryTested) {
    const request = await agent.receives("test_repository");
    const { request_id, project_id } = request;
    agent.answer({ type: "repository_tested", request_id, project_id, result });
    return request;
  }

  it("returns what the agent found with the project's own settings", async () => {
    await agent.connect({ deployKeys: [] });
    const project = await createProject();
    const testing = test(project.id);
    expect(await answers(passed)).toMatchObject({ project_name: "shop", repository: SSH, branch: "main" });
    const response = await testing;
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(passed);
  });

  it("can try other settings before they are saved, and links a failure to the steps", async () => {
    await agent.connect({ deployKeys: [] });
    const project = await createProject();
    const testing = test(project.id, { repository: "git@gitlab.com:acme/shop.git", branch: "next" });
    const failed = { ok: false, code: "access_denied", message: "Permission denied", tried: "" } as const;
    expect(await answers(failed)).toMatchObject({
      repository: "git@gitlab.com:acme/shop.git",
      branch: "next",
    });
    expect(await (await testing).json()).toEqual({
      ...failed,
      steps_url: `https://gantry.test/app/projects/${project.id}/repository`,
    });
  });

  it("is refused without an agent, for tokens that may only read, and for an invalid address", async () => {
    const project = await createProject();
    expect(await problemOf(await test(project.id))).toMatchObject({ status: 409, code: "server_offline" });
    const { secret } = await createToken(account.id, { name: "reader", scopes: ["projects:read"] });
    expect(await problemOf(await test(project.id, {}, secret))).toMatchObject({ code: "insufficient_scope" });
    const invalid = await test(project.id, { repository: "ext::sh -c id" });
    expect(await problemOf(invalid)).toMatchObject({ status: 422, code: "invalid_request" });
  });

  it("ends as soon as the agent's connection does", async () => {
    await agent.connect({ deployKeys: [] });
    const project = await createProject();
    const testing = test(project.id);
    await agent.receives("test_repository");
    agent.cut();
    expect(await problemOf(await testing)).toMatchObject({
      status: 503,
      detail: expect.stringContaining("connection"),
    });
  });

  it("ignores answers that nobody waits for", async () => {
    await agent.connect({ deployKeys: [] });
    const project = await createProject();
    agent.answer({
      type: "repository_tested",
      request_id: "unknown",
      project_id: project.id,
      result: passed,
    });
    const testing = test(project.id);
    await answers(passed);
    expect((await testing).status).toBe(200);
  });
});
