import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { settingsWith } from "#contract/endpoints/projects/project-settings.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { AutomaticSetting } from "#contract/endpoints/projects/settings.ts";
import { pick } from "#contract/lib/pick.ts";
import { everySetting } from "../../support/every-setting.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import type { World } from "../../support/worker/world.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

async function patch({ account, projectId }: World, body: unknown): Promise<Response> {
  return await call(`/v1/projects/${projectId}`, { method: "PATCH", token: account.token, body });
}

async function patched(world: World, body: unknown): Promise<Project> {
  return Project.parse(await (await patch(world, body)).json());
}

async function get({ account, projectId }: World): Promise<Project> {
  return Project.parse(await (await call(`/v1/projects/${projectId}`, { token: account.token })).json());
}

describe("changing a project", () => {
  it("changes each setting alone, without changing others", async () => {
    const world = await copyWorld();
    let expected = await get(world);
    for (const [name, value] of Object.entries(everySetting)) {
      const automatic = expected.automatic.filter((one) => one !== name);
      const response = await patch(world, { [name]: value });
      expect(response.status).toBe(200);
      const changed = Project.parse(await response.json());
      // A framework also changes the settings that are left to it.
      const preset =
        name === "framework"
          ? { install_command: "npm ci", build_command: "npm run build", output_directory: "dist" }
          : {};
      expected = { ...expected, ...preset, [name]: value, automatic };
      expect(changed).toEqual(expected);
      expect(await get(world)).toEqual(expected);
    }
    expect(expected).toMatchObject(everySetting);
  });

  it("changes several settings at once, and none without fields", async () => {
    const world = await copyWorld();
    const before = await patched(world, everySetting);
    expect(before).toMatchObject(everySetting);
    expect(await patched(world, {})).toEqual(before);
    const response = await call(`/v1/projects/${world.projectId}`, {
      method: "PATCH",
      token: world.account.token,
    });
    expect([response.status, await response.json()]).toEqual([200, before]);
  });

  it("gives the next order each setting that the agent needs, under its name", async () => {
    const project = await TestProject.answering();
    // An approval would hold the deployment.
    await project.patch({ ...everySetting, approval: "none" });
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject(pick(everySetting, settingsWith("agent", true)));
  });

  it("accepts null for settings that can be empty", async () => {
    const world = await copyWorld();
    await patched(world, everySetting);
    const none = {
      install_command: null,
      build_command: null,
      release_command: null,
      activate_command: null,
      health_check: null,
    };
    expect(await patched(world, none)).toMatchObject({ ...everySetting, ...none, automatic: [] });
    const problem = await problemOf(
      await patch(world, { name: null, branch: null, queue: null, domain: null }),
    );
    expect(problem.errors?.map((error) => error.pointer).toSorted()).toEqual([
      "/branch",
      "/domain",
      "/name",
      "/queue",
    ]);
  });

  it("changes single timeouts, but replaces a whole health check", async () => {
    const world = await copyWorld();
    await patched(world, everySetting);
    const changed = await patched(world, {
      timeouts: { build_seconds: 1200 },
      health_check: { url: "http://127.0.0.1:3000/up" },
    });
    expect(changed.timeouts).toEqual({ ...everySetting.timeouts, build_seconds: 1200 });
    expect(changed.health_check).toEqual({
      url: "http://127.0.0.1:3000/up",
      status: 200,
      tries: 10,
      interval_seconds: 1,
      timeout_seconds: 5,
    });
  });

  it("changes single limits, and removes limits that are null", async () => {
    const world = await copyWorld();
    await patched(world, everySetting);
    const changed = await patched(world, { limits: { memory_mb: 1024, tasks: null } });
    expect(changed.limits).toEqual({ memory_mb: 1024, cpu_weight: 200 });
  });

  it("drops the detected settings when the framework becomes automatic again", async () => {
    const world = await copyWorld();
    await patched(world, { framework: "vite" });
    const detected = JSON.stringify({
      framework: "vite",
      build_command: "vite build",
      output_directory: "dist",
    });
    await env.DB.prepare("UPDATE projects SET detected = ? WHERE id = ?")
      .bind(detected, world.projectId)
      .run();
    expect(await patched(world, { automatic: ["framework"] })).toMatchObject({ framework: "static" });
  });

  it("keeps both changes if two requests change different settings at the same time", async () => {
    const world = await copyWorld();
    await Promise.all([
      patched(world, { branch: "next", timeouts: { build_seconds: 7 } }),
      patched(world, { keep_releases: 7, timeouts: { fetch_seconds: 8 } }),
      patched(world, { output_directory: "dist" }),
    ]);
    expect(await get(world)).toMatchObject({
      branch: "next",
      keep_releases: 7,
      output_directory: "dist",
      timeouts: { build_seconds: 7, fetch_seconds: 8, verify_seconds: 60 },
      automatic: ["framework", "install_command", "build_command", "trailing_slash", "fallback"],
    });
  });

  it.each([
    [{ brnach: "main" }, ["/brnach"]],
    [{ id: "proj_1" }, ["/id"]],
    [{ url: "http://x" }, ["/url"]],
    [{ repository: "ext::sh -c id" }, ["/repository"]],
    [{ repository: "https://me:***@git.test/shop.git" }, ["/repository"]],
    [{ repository: "https://***@git.test/shop.git" }, ["/repository"]],
    [{ health_check: { url: "https://me:***@shop.test/up" } }, ["/health_check/url"]],
    [{ repository: "https://git.test/shop.git?private_token=***" }, ["/repository"]],
    [{ repository: "https://git.test/shop.git?***" }, ["/repository"]],
    [{ health_check: { url: "https://shop.test/up?a=1&key=***" } }, ["/health_check/url"]],
    [{ health_check: { path: "/up?key=***" } }, ["/health_check/path"]],
    [{ health_check: { tries: 3 } }, ["/health_check"]],
    [{ timeouts: { bild_seconds: 1 } }, ["/timeouts/bild_seconds"]],
    [{ timeouts: null }, ["/timeouts"]],
    [{ keep_releases: 1 }, ["/keep_releases"]],
    [{ shared_paths: ["data", "data/a"] }, ["/shared_paths/1"]],
    [{ automatic: ["branch"] }, ["/automatic/0"]],
    [{ automatic: ["framework"], framework: "vite" }, ["/framework"]],
    [{ server_id: "srv_1" }, ["/server_id"]],
  ])("is refused with %j, and the problem points to it", async (body, pointers) => {
    const world = await copyWorld();
    const before = await get(world);
    const response = await patch(world, { branch: "next", ...body });
    expect(response.status).toBe(422);
    expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual(pointers);
    expect(await get(world)).toEqual(before);
  });

  it("accepts similar shared paths, and explains which path to use if paths overlap", async () => {
    const world = await copyWorld();
    const apart = ["data", "data-old", "database/a", "database/ab", "data"];
    expect(await patched(world, { shared_paths: apart })).toMatchObject({ shared_paths: apart });
    expect((await problemOf(await patch(world, { shared_paths: ["data", "data/a"] }))).errors).toEqual([
      {
        pointer: "/shared_paths/1",
        message: "overlaps with data: send only the outer path",
      },
    ]);
  });

  it("requires unique names in the account and unique domains in the installation", async () => {
    const [world, other] = [await copyWorld("shop"), await copyWorld("store")];
    const { token } = world.account;
    const settings = { name: "blog", server_id: world.serverId, repository: "/srv/git/blog.git" };
    await call("/v1/projects", { method: "POST", token, body: settings });
    const named = await patch(world, { name: "blog", branch: "next" });
    expect(await problemOf(named)).toMatchObject({ status: 409, code: "name_taken" });
    const there = await patch(world, { domain: "store.localhost" });
    expect(await problemOf(there)).toMatchObject({ status: 409, code: "domain_taken" });
    expect(await get(world)).toMatchObject({ name: "shop", domain: "shop.localhost", branch: "main" });
    // Its own name and domain are accepted, and so is a name of another account.
    expect((await patch(world, { name: "shop", domain: "shop.localhost" })).status).toBe(200);
    expect((await patch(other, { name: "shop" })).status).toBe(200);
  });

  it("does not change the domain with the name", async () => {
    const world = await copyWorld("shop");
    expect(await patched(world, { name: "store" })).toMatchObject({
      name: "store",
      domain: "shop.localhost",
    });
  });

  it("requires a server of the account, also for a project that does not exist", async () => {
    const [world, other] = [await copyWorld("shop"), await copyWorld("store")];
    for (const server_id of [ids.server(), other.serverId]) {
      const response = await patch(world, { server_id });
      expect(response.status).toBe(422);
      expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual(["/server_id"]);
    }
    expect(
      (await patch({ ...world, projectId: other.projectId }, { server_id: world.serverId })).status,
    ).toBe(404);
    const { secret } = await createToken(world.account.id, { projectIds: [ids.project()] });
    const limited = { ...world, account: { ...world.account, token: secret } };
    expect((await patch(limited, { name: "mine" })).status).toBe(404);
    expect((await get(world)).name).toBe("shop");
  });
});

describe("changed settings", () => {
  it("apply from the next start on, and not to running or queued deployments", async () => {
    const project = await TestProject.connected({ build_command: "make old" });
    const running = await project.start();
    const waiting = await project.start();
    const order = await project.agent.orderOf(running.id);
    expect((await project.patch({ build_command: "make new", branch: "next" })).status).toBe(200);
    const started = await project.start();
    expect(order).toMatchObject({ build_command: "make old" });
    await project.agent.completes(order);
    const second = await project.agent.orderOf(waiting.id);
    expect(second).toMatchObject({ build_command: "make old", source: { branch: "main" } });
    await project.agent.completes(second);
    expect(await project.agent.orderOf(started.id)).toMatchObject({
      build_command: "make new",
      source: { branch: "next" },
    });
  });

  it("decide which commits can be deployed by hash: the order contains the rule, and `none` refuses the start", async () => {
    const project = await TestProject.connected();
    const commit = "0123456789";
    const orderOf = async (input: Record<string, unknown>) => {
      const order = await project.agent.orderOf((await project.start(input)).id);
      await project.agent.completes(order);
      return order.source;
    };
    expect(await orderOf({ commit })).toMatchObject({ commit, commits: "reachable", in_branch: false });
    expect((await project.patch({ commits: "any" })).status).toBe(200);
    expect(await orderOf({ branch: "next" })).toMatchObject({ commits: "any", in_branch: false });
    expect(await orderOf({ branch: "next", commit })).toMatchObject({
      branch: "next",
      commit,
      commits: "any",
      in_branch: true,
      was_live: false,
    });
    expect((await project.patch({ commits: "none" })).status).toBe(200);
    for (const path of [`/v1/projects/${project.id}/deployments`, "/v1/deploy"]) {
      const body = { commit, ...(path === "/v1/deploy" ? { project_id: project.id } : {}) };
      expect(await problemOf(await project.post(path, body))).toMatchObject({
        status: 422,
        code: "invalid_request",
        errors: [{ pointer: "/commit" }],
      });
    }
    expect(await orderOf({})).toMatchObject({ commit: null, commits: "none" });
    expect((await project.post("/v1/rollback", { project_id: project.id })).status).toBe(201);
  });
});

describe("settings that are left to the framework", () => {
  it("are shown with the values of its preset, and listed as automatic", async () => {
    const world = await copyWorld();
    const all = AutomaticSetting.options;
    const allExcept = (...names: AutomaticSetting[]) => all.filter((name) => !names.includes(name));
    expect(await get(world)).toMatchObject({
      framework: "static",
      install_command: null,
      build_command: null,
      output_directory: ".",
      automatic: all,
    });
    expect(await patched(world, { framework: "gatsby" })).toMatchObject({
      framework: "gatsby",
      install_command: "npm ci",
      build_command: "npm run build",
      output_directory: "public",
      automatic: allExcept("framework"),
    });
    const none = await patched(world, { build_command: null });
    expect(none).toMatchObject({
      install_command: null,
      build_command: null,
      output_directory: "public",
      automatic: allExcept("framework", "build_command"),
    });
    expect(await patched(world, { framework: "vite", trailing_slash: "always" })).toMatchObject({
      trailing_slash: "always",
      fallback: "index.html",
      automatic: allExcept("framework", "build_command", "trailing_slash"),
    });
    expect(await patched(world, { fallback: null, automatic: ["trailing_slash"] })).toMatchObject({
      trailing_slash: "auto",
      fallback: null,
      automatic: allExcept("framework", "build_command", "fallback"),
    });
    const again = await patched(world, { automatic: ["build_command", "framework", "fallback"] });
    expect(again).toMatchObject({
      framework: "static",
      build_command: null,
      automatic: all,
    });
  });

  it("are not in the order, so that the agent detects them, and are shown as detected afterwards", async () => {
    const project = await TestProject.connected({ output_directory: "site" });
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject({ output_directory: "site" });
    expect(Object.keys(order)).not.toContain("framework");
    expect(Object.keys(order)).not.toContain("build_command");
    const preset = {
      framework: "vitepress",
      install_command: "pnpm install",
      build_command: "pnpm run build",
      output_directory: "docs/.vitepress/dist",
      trailing_slash: "auto" as const,
      fallback: null,
      suggested_release_command: "pnpm exec prisma migrate deploy",
      app_type: "static" as const,
      start_command: null,
      reasons: [],
    };
    await project.agent.reports(order, { type: "framework", preset });
    await project.agent.completes(order);
    await project.reaches(id, "live");
    await expect
      .poll(async () => (await project.get(`/v1/projects/${project.id}`)).json())
      .toMatchObject({
        framework: "vitepress",
        install_command: "pnpm install",
        build_command: "pnpm run build",
        output_directory: "site",
        release_command: null,
        suggested_release_command: "pnpm exec prisma migrate deploy",
        automatic: ["framework", "install_command", "build_command", "trailing_slash", "fallback"],
        app_type: "static",
        framework_reasons: [],
      });
    const list = await (await project.get("/v1/projects")).json();
    expect(list).toMatchObject({ projects: [{ framework: "vitepress" }] });
    // Setting another framework overrides the detected settings.
    const given = await project.patch({ framework: "hugo" });
    expect(await given.json()).toMatchObject({
      build_command: "hugo --gc --minify",
      suggested_release_command: null,
      automatic: ["install_command", "build_command", "trailing_slash", "fallback"],
    });
  });

  it("come with the type of the app and the reasons, if the agent is new enough to report them", async () => {
    const project = await TestProject.connected({});
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    const preset = {
      framework: "next",
      install_command: "npm ci",
      build_command: "npm run build",
      output_directory: "out",
      trailing_slash: "auto" as const,
      fallback: null,
      app_type: "static" as const,
      start_command: null,
      reasons: ["package.json depends on next", 'next.config.mjs has output: "export"'],
      processes: { web: { command: "./a" }, worker: { command: "./b" } },
      repository_definitions: {
        release_command: { command: "./migrate", from: "gantry.json" as const },
        processes: { web: "Procfile" as const, worker: "gantry.json" as const },
        cron: [{ name: "backup", schedule: "@daily", command: "./backup" }],
      },
    };
    await project.agent.reports(order, { type: "framework", preset });
    await project.agent.completes(order);
    await project.reaches(id, "live");
    await expect
      .poll(async () => (await project.get(`/v1/projects/${project.id}`)).json())
      .toMatchObject({
        app_type: "static",
        framework_reasons: preset.reasons,
        repository_definitions: preset.repository_definitions,
      });
    await project.patch({ processes: { web: { instances: 2 }, worker: { command: "./own" } } });
    const processes = await project.get(`/v1/projects/${project.id}/processes`);
    expect(await processes.json()).toMatchObject({ sources: { web: "Procfile", worker: "project" } });
    const given = await project.patch({ framework: "express" });
    expect(await given.json()).toMatchObject({ app_type: "server", framework_reasons: [] });
  });

  it("are in the order if they are set, also to null", async () => {
    const project = await TestProject.connected({ framework: "vite", build_command: null });
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    expect(order).toMatchObject({ framework: "vite", build_command: null });
    expect(Object.keys(order)).not.toContain("output_directory");
  });
});
