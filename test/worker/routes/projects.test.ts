import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { initialSettings } from "#contract/endpoints/projects/project-settings.ts";
import { Project, ProjectRows } from "#contract/endpoints/projects/schemas.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import { defaultTimeouts } from "#contract/stages.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";
import { ServerId } from "#contract/ids.ts";
import { everySetting } from "../../support/every-setting.ts";
import { ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { connectWithKeys, TestProject } from "../../support/worker/project.ts";
import type { World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

/** A world whose server can get secrets. */
async function createWorldWithKey(): Promise<World> {
  const world = await copyWorld();
  const agent = await enrolAgent(world.account.token, "web-2");
  await connectWithKeys(agent, world.account.token);
  return { ...world, serverId: ServerId.parse(agent.serverId) };
}

async function create({ account, serverId }: World, body: Record<string, unknown> = {}): Promise<Response> {
  const settings = { name: "blog", server_id: serverId, repository: "https://git.test/blog.git", ...body };
  return await call("/v1/projects", { method: "POST", token: account.token, body: settings });
}

async function created(world: World, body: Record<string, unknown> = {}): Promise<Project> {
  return Project.parse(await (await create(world, body)).json());
}

async function get(token: string, id: string): Promise<Project> {
  return Project.parse(await (await call(`/v1/projects/${id}`, { token })).json());
}

describe("a project", () => {
  it("needs a name, a server and a repository, and has defaults for the rest", async () => {
    const world = await copyWorld();
    const response = await create(world);
    expect(response.status).toBe(201);
    const project = Project.parse(await response.json());
    expect(response.headers.get("location")).toBe(`/v1/projects/${project.id}`);
    expect(project).toEqual({
      ...initialSettings,
      id: expect.stringMatching(/^proj_/),
      name: "blog",
      framework: "static",
      domain: "blog.localhost",
      server_id: world.serverId,
      servers: [{ id: world.serverId, processes: null, cron: false }],
      servers_state: [],
      balance_state: [],
      last_deploy: null,
      repository: "https://git.test/blog.git",
      branch: "main",
      commits: "reachable",
      root_directory: ".",
      install_command: null,
      build_command: null,
      output_directory: ".",
      trailing_slash: "auto",
      fallback: null,
      release_command: null,
      activate_command: null,
      shared_paths: [],
      keep_releases: 5,
      asset_overlap: 86_400,
      maintenance: null,
      ingress_problem: null,
      health: { state: "unknown", reasons: [] },
      limits: {},
      health_check: null,
      timeouts: {
        ...defaultTimeouts,
        queue_seconds: 900,
        fetch_seconds: 600,
        build_seconds: 600,
        activate_seconds: 60,
        verify_seconds: 60,
      },
      queue: "all",
      processes: {},
      drain_seconds: 30,
      aliases: [],
      cron: [],
      deploy_on: DeployOn.parse({}),
      approval: "none",
      automatic: AutomaticSetting.options,
      suggested_release_command: null,
      app_type: "static",
      framework_reasons: [],
      detected_processes: {},
      repository_definitions: { release_command: null, processes: {}, cron: [] },
      processes_state: null,
      variables_applied: null,
      url: null,
      serving: null,
      deploy_key: null,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await get(world.account.token, project.id)).toEqual(project);
  });

  it("stores every given setting", async () => {
    const world = await copyWorld();
    const project = await created(world, everySetting);
    expect(project).toMatchObject({ ...everySetting, automatic: [] });
    expect(await get(world.account.token, project.id)).toEqual(project);
  });

  it("refuses a repository with characters that are invisible or change the text direction", async () => {
    const world = await copyWorld();
    for (const repository of [
      "https://git.test/x\u202Etig.git",
      "git@git.test:te\u200Bam/blog.git",
      "/srv/bl\u2066og",
    ]) {
      const response = await create(world, { repository });
      expect([repository, response.status]).toEqual([repository, 422]);
      expect(await response.json()).toMatchObject({ errors: [{ pointer: "/repository" }] });
    }
  });

  it("refuses the full name of a reference as its branch", async () => {
    const { account, projectId } = await copyWorld();
    const response = await call(`/v1/projects/${projectId}`, {
      method: "PATCH",
      token: account.token,
      body: { branch: "refs/heads/main" },
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: "/branch", message: "must be the name without `refs/heads/` or `refs/tags/`" }],
    });
  });

  it("never shows the password of its repository again", async () => {
    const world = await createWorldWithKey();
    const response = await create(world, { repository: "https://me:s3cret@git.test/blog.git" });
    const text = await response.text();
    expect(text).not.toContain("s3cret");
    expect(Project.parse(JSON.parse(text)).repository).toBe("https://me@git.test/blog.git");
    const { results } = await env.DB.prepare("SELECT repository FROM projects WHERE name = 'blog'").all();
    expect(results).toEqual([{ repository: "https://me@git.test/blog.git" }]);
  });

  it("never shows a token in its repository's URL or in the query of its health check again", async () => {
    const world = await createWorldWithKey();
    const secrets = ["ghp_0123456789abcdefghij", "s3cret"];
    const response = await create(world, {
      repository: `https://${secrets[0]}@git.test/blog.git`,
      health_check: { url: `https://blog.test/up?key=${secrets[1]}` },
    });
    const project = Project.parse(await response.json());
    expect(project.repository).toBe("https://git.test/blog.git");
    expect(project.health_check?.url).toBe("https://blog.test/up?key=***");
    const read = JSON.stringify(await get(world.account.token, project.id));
    for (const secret of secrets) expect(read).not.toContain(secret);
    const { results } = await env.DB.prepare("SELECT repository, settings FROM projects").all();
    expect(JSON.stringify(results)).not.toContain(secrets[0]);
    expect(JSON.stringify(results)).toContain(secrets[1]);
  });

  it.each(["https://git.test/blog.git?private_token=s3cret", "https://me@git.test/b?x=s3cret#f"])(
    "refuses the query of the repository %s, which could be a token in clear",
    async (repository) => {
      const world = await copyWorld();
      const response = await create(world, { repository });
      expect(response.status).toBe(422);
      const problem = await response.text();
      expect(problem).toContain("/repository");
      expect(problem).not.toContain("s3cret");
    },
  );

  it.each([
    ["https://git.test/blog.git?private_token=s3cret&a=", "https://git.test/blog.git?private_token=***&a="],
    ["https://git.test/blog.git?s3cret", "https://git.test/blog.git?***"],
    ["https://me@git.test/b?x=s3cret=1#f", "https://me@git.test/b?x=***#f"],
    ["https://bob:12/s3cret@git.test/b", "https://***/***"],
    ["https://git.test:8443/a@b", "https://git.test/***"],
    ["https://ghp_0123456789abcdefghij:x@git.test/b", "https://***@git.test/b"],
    ["/srv/git/what?=s3cret", "/srv/git/what?=s3cret"],
    ["file:///srv/git/what?=s3cret", "file:///srv/git/what?=s3cret"],
  ])("shows the stored repository %s as %s", async (repository, shown) => {
    const world = await copyWorld();
    const { id } = await created(world);
    await env.DB.prepare("UPDATE projects SET repository = ? WHERE id = ?").bind(repository, id).run();
    expect((await get(world.account.token, id)).repository).toBe(shown);
  });

  it.each([
    [{ url: "https://blog.test/up?key=s3cret" }, { url: "https://blog.test/up?key=***" }],
    [{ path: "/up?key=s3cret&deep" }, { path: "/up?key=***&***" }],
  ])("shows the health check %j as %j", async (health_check, shown) => {
    const world = await copyWorld();
    const project = Project.parse(await (await create(world, { health_check })).json());
    expect(project.health_check).toMatchObject(shown);
  });

  it("is listed with exactly the fields of the specification, newest first", async () => {
    const world = await copyWorld();
    const blog = await created(world);
    const response = await call("/v1/projects", { token: world.account.token });
    const { projects, next_cursor } = ProjectRows.parse(await response.json());
    expect(next_cursor).toBeNull();
    expect(projects).toEqual([
      {
        id: blog.id,
        name: "blog",
        framework: "static",
        domain: "blog.localhost",
        server_id: world.serverId,
        last_deploy: null,
      },
      {
        id: world.projectId,
        name: "shop",
        framework: "static",
        domain: "shop.localhost",
        server_id: world.serverId,
        last_deploy: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it.each([
    [{ name: undefined }, ["/name"]],
    [{ repository: "ext::sh -c id" }, ["/repository"]],
    [{ repository: "/proc/self/cwd/releases/1/evil.git" }, ["/repository"]],
    [{ repository: "file:///%70roc/self/cwd/releases/1/evil.git" }, ["/repository"]],
    [{ repository: "-oProxyCommand=id@host:x" }, ["/repository"]],
    [{ branch: "--upload-pack=id" }, ["/branch"]],
    [{ root_directory: "../.." }, ["/root_directory"]],
    [{ shared_paths: ["ok", "/etc"] }, ["/shared_paths/1"]],
    [{ shared_paths: ["ok", "data", "data/a", "data/a/b"] }, ["/shared_paths/2", "/shared_paths/3"]],
    [{ shared_paths: ["data/a", "data"] }, ["/shared_paths/1"]],
    [{ health_check: {} }, ["/health_check"]],
    [{ health_check: { path: "/", tries: 0 } }, ["/health_check/tries"]],
    [{ timeouts: { build_seconds: "1" } }, ["/timeouts/build_seconds"]],
    [{ limits: { memory_mb: 1 } }, ["/limits/memory_mb"]],
    [{ limits: { cpu_weight: 0 } }, ["/limits/cpu_weight"]],
    [{ limits: { processes: 100 } }, ["/limits/processes"]],
    [{ timeouts: { bild_seconds: 1 } }, ["/timeouts/bild_seconds"]],
    [{ keep_releases: 1 }, ["/keep_releases"]],
    [{ domain: "Not A Domain" }, ["/domain"]],
    [{ deploy_on: { paths: ["src", "./lib"] } }, ["/deploy_on/paths/1"]],
    [{ queue: "some" }, ["/queue"]],
    [{ commits: "some" }, ["/commits"]],
    [{ url: "http://x" }, ["/url"]],
  ])("is refused with %j, and the problem points to it", async (body, pointers) => {
    const response = await create(await copyWorld(), body);
    expect(response.status).toBe(422);
    expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual(pointers);
  });

  it("needs a server of the account", async () => {
    const world = await copyWorld();
    for (const server_id of [ids.server(), "srv_1"]) {
      const response = await create(world, { server_id });
      expect(response.status).toBe(422);
      expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual(["/server_id"]);
    }
  });

  it("needs a unique name in the account and a unique domain in the installation", async () => {
    const [world, other] = [await copyWorld("shop"), await copyWorld("store")];
    expect(await problemOf(await create(world, { name: "shop" }))).toMatchObject({
      status: 409,
      code: "name_taken",
    });
    const domain = "www.example.com";
    expect((await create(world, { domain })).status).toBe(201);
    const clash = await create(other, { domain });
    expect(await problemOf(clash)).toMatchObject({ status: 409, code: "domain_taken" });
  });

  it("gets another default domain if the first one is taken", async () => {
    const [world, other] = [await copyWorld("shop"), await copyWorld("store")];
    const second = await created(other, { name: "Shop" });
    expect(second.domain).toBe(`shop-${second.id.slice(-6)}.localhost`);
    expect((await get(world.account.token, world.projectId)).domain).toBe("shop.localhost");
  });

  it("is refused if the account has a thousand", async () => {
    const world = await copyWorld();
    const copy = env.DB.prepare(
      `INSERT INTO projects (id, account_id, server_id, name, domain, repository, repository_key, branch, settings, created_at)
       SELECT ?1, account_id, server_id, ?1, ?1, repository, repository_key, branch, settings, created_at FROM projects WHERE id = ?2`,
    );
    const copies = Array.from({ length: MAX_PER_ACCOUNT - 1 }, () =>
      copy.bind(ids.project(), world.projectId),
    );
    await env.DB.batch(copies);
    expect(await problemOf(await create(world))).toMatchObject({ status: 409, code: "too_many" });
    const { projects } = ProjectRows.parse(
      await (await call("/v1/projects", { token: world.account.token })).json(),
    );
    expect(projects).toHaveLength(MAX_PER_ACCOUNT);
  });
});

describe("the served release of a project", () => {
  it("is from its agent's last report, and has drifted if it is not the live one", async () => {
    const project = await TestProject.connected();
    const first = await project.deploy();
    const second = await project.deploy();
    const report = (release: number | null) =>
      project.agent.status([
        { project_id: second.order.project_id, release, releases: [1, 2], url: "http://127.0.0.1:9000" },
      ]);
    report(2);
    await vi.waitFor(async () => {
      expect(await get(project.token, project.id)).toMatchObject({
        url: "http://127.0.0.1:9000",
        serving: { deployment_id: second.id, version: 2, commit: "0123456", drifted: false },
      });
    });
    report(1);
    await vi.waitFor(async () => {
      const { serving } = await get(project.token, project.id);
      expect(serving).toMatchObject({ deployment_id: first.id, drifted: true });
    });
    report(null);
    await vi.waitFor(async () => {
      const { serving } = await get(project.token, project.id);
      expect(serving).toMatchObject({ deployment_id: null, version: null, commit: null, drifted: true });
    });
  });
});
