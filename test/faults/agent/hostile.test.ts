import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { HealthCheck } from "#contract/endpoints/projects/settings.ts";

import { createCertificate } from "../../support/git-server.ts";
import { messagesOf, AgentWorld } from "../../agent/support/harness.ts";
import { createRepository } from "../../agent/support/repository.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const refused = (rule: string, stage = "fetch") => ({
  outcome: "failed",
  failure: {
    code: "refused_by_policy",
    stage,
    message: expect.stringContaining(`this server's policy (${rule}) does not allow`),
  },
});
const trace = () => join(world.folder, "trace");

describe("under a policy, an order", () => {
  it("that is allowed is carried out", async () => {
    world.policy = {
      repositories: [world.repository.path],
      branches: ["main"],
      build_commands: ["echo built > built.txt"],
      activate_commands: "none",
      shared_paths: ["storage"],
      health_checks: "local",
    };
    await world.startAgent();
    const { result } = await world.deploy({
      build_command: "echo built > built.txt",
      shared_paths: ["storage"],
    });
    expect(result.outcome).toBe("live");
    expect(world.read("current/built.txt")).toBe("built\n");
  });

  it("that breaks one rule fails before any fetch or command, and the failure names the rule", async () => {
    world.policy = {
      repositories: [world.repository.path],
      branches: ["main", "release/*"],
      commits: "none",
      build_commands: ["true"],
      activate_commands: ["true"],
      release_commands: ["make migrate"],
      processes: ["node server.mjs"],
      shared_paths: ["storage"],
      health_checks: ["https://shop.example.com"],
    };
    await world.startAgent();
    const touch = `touch ${trace()}`;
    const check = (url: string) => ({ health_check: HealthCheck.parse({ url }) });
    const orders: [string, Partial<RunOrder>][] = [
      ["repositories", world.source({ repository: "https://github.com/evil/site" })],
      ["repositories", world.source({ repository: `${world.repository.path}/.git` })],
      ["repositories", world.source({ repository: "git@evil.example:site" })],
      ["branches", world.source({ branch: "other" })],
      ["branches", world.source({ branch: "release/a/b" })],
      ["branches", world.source({ branch: "Main" })],
      ["commits", world.source({ commit: "0123456789" })],
      ["build_commands", { build_command: touch }],
      ["build_commands", { build_command: `true\n${touch}` }],
      ["build_commands", { build_command: "true " }],
      ["release_commands", { release_command: touch }],
      ["activate_commands", { activate_command: touch }],
      ["processes", { processes: { web: { command: "node server.mjs" }, worker: { command: touch } } }],
      ["shared_paths", { shared_paths: ["storage", "other"] }],
      ["health_checks", check("http://169.254.169.254/latest/meta-data")],
      ["health_checks", check("http://127.0.0.1.evil.example/")],
      ["health_checks", check("https://shop.example.com:8443/")],
      ["health_checks", { ...check("http://inside.example/"), domain: "inside.example" }],
    ];
    for (const [rule, change] of orders) {
      const { result, run } = await world.deploy(change);
      expect({ change, result }).toEqual({ change, result: refused(rule) });
      expect(messagesOf(run)).toEqual([]);
    }
    expect(world.has("mirror.git")).toBe(false);
    expect(existsSync(trace())).toBe(false);
  });

  it.each(["http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost:1/"])(
    "can check the health of %s, which is this server, if only that is allowed",
    async (url) => {
      world.policy = { health_checks: "local" };
      await world.startAgent();
      const { result } = await world.deploy({ health_check: HealthCheck.parse({ url, tries: 1 }) });
      expect(result).toMatchObject({ failure: { code: "health_check_failed" } });
    },
  );

  it("with a framework whose preset has a build command is refused after the fetch, unless presets are allowed", async () => {
    world.repository.commit({ "package.json": '{"scripts":{"build":"true"},"dependencies":{"vite":"1"}}' });
    world.policy = { build_commands: "none" };
    const agent = await world.startAgent();
    const { build_command: _, output_directory: __, ...order } = world.order();
    const asked = (change: Partial<RunOrder>) => world.control.dispatch({ ...order, ...change });
    expect(await world.control.result(asked({}))).toEqual(refused("build_commands", "install"));
    await agent.stop();
    world.policy = { build_commands: "preset" };
    await world.startAgent();
    const install = world.order({ install_command: `touch ${trace()}` });
    expect(await world.control.result(world.control.dispatch(install))).toEqual(refused("build_commands"));
    const own = world.order({ build_command: `touch ${trace()}` });
    expect(await world.control.result(world.control.dispatch(own))).toEqual(refused("build_commands"));
    const preset = world.order({ framework: "static" });
    delete preset.build_command;
    expect(await world.control.result(world.control.dispatch(preset))).toMatchObject({ outcome: "live" });
    world.repository.commit({ "gantry.json": JSON.stringify({ install_command: `touch ${trace()}` }) });
    expect(await world.control.result(asked({}))).toEqual(refused("build_commands", "install"));
    expect(existsSync(trace())).toBe(false);
  });

  it("for a repository with a submodule from another host is refused before a request to that host", async () => {
    const other = createRepository(join(world.folder, "other"));
    other.commit({ "secret.txt": "secret" });
    world.repository.git("submodule", "--quiet", "add", other.path, "module");
    world.repository.commit({});
    world.policy = { repositories: [world.repository.path] };
    const agent = await world.startAgent();
    const { result } = await world.deploy();
    expect(result).toEqual(refused("repositories"));
    expect(result).toMatchObject({
      failure: {
        message: expect.stringMatching(/^submodule module: .*other\. Its administrator can change/),
      },
    });
    await agent.stop();
    world.policy = { repositories: [world.repository.path, other.path] };
    await world.startAgent();
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});

describe("a release from before the policy", () => {
  it("is neither rolled back to nor served by a correction, if its repository or activate command is not allowed", async () => {
    const first = await world.startAgent();
    await world.deploy({ activate_command: `echo one >> ${trace()}` });
    await world.deploy({ keep_releases: [1] });
    await first.stop();
    writeFileSync(trace(), "");
    world.policy = { activate_commands: "none" };
    const second = await world.startAgent();
    expect((await world.deploy({ reuse_release: 1, keep_releases: [1, 2] })).result).toEqual(
      refused("activate_commands"),
    );
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await world.control.waitFor("the log line", () =>
      world.logLines.some((line) => /releases\/1 should be live, but this/.test(line)),
    );
    expect(world.current).toBe("releases/2");
    await second.stop();
    world.policy = { repositories: ["https://github.com/acme/*"] };
    await world.startAgent();
    const allowed = world.source({ repository: "https://github.com/acme/shop" });
    const back = await world.deploy({ ...allowed, reuse_release: 1, preapproved: true });
    expect(back.result).toEqual(refused("repositories"));
    expect(world.current).toBe("releases/2");
    expect(readFileSync(trace(), "utf8")).toBe("");
  });

  it("that was removed is not built again by its hash, if only branches are allowed", async () => {
    const sha = world.repository.git("rev-parse", "HEAD");
    world.policy = { commits: "none" };
    await world.startAgent();
    const { result } = await world.deploy({ ...world.source({ commit: sha }), reuse_release: 7 });
    expect(result).toEqual(refused("commits"));
  });

  it("that is served stays, even if the control plane requests its removal", async () => {
    world.policy = { remove_projects: "keep_files" };
    const agent = await world.startAgent();
    await world.deploy({ shared_paths: ["storage"] });
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: true });
    await world.control.waitFor("the log line", () =>
      world.logLines.some((line) => line.includes("policy (remove_projects)")),
    );
    expect(world.current).toBe("releases/1");
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await world.control.waitFor(
      "the answer",
      () => world.control.messages.at(-1)?.type === "project_removed",
    );
    expect(world.has("shared/storage")).toBe(true);
    await agent.stop();
  });
});

describe("git, when repositories are limited", () => {
  it("follows no redirect to another address", async () => {
    const { key, cert } = createCertificate(world.folder);
    const asked: string[] = [];
    const server = createServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (incoming, response) => {
        asked.push(incoming.url ?? "");
        response.writeHead(302, { location: (incoming.url ?? "").replace("/acme/", "/evil/") });
        response.end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const origin = `https://localhost:${typeof address === "object" ? address?.port : ""}`;
    writeFileSync(join(world.folder, ".gitconfig"), `[http]\n\tsslCAInfo = ${cert}\n`);
    const environment = { PATH: process.env["PATH"], HOME: world.folder };
    const order = world.source({ repository: `${origin}/acme/shop` });

    const free = await world.startAgent({}, undefined, environment);
    await world.deploy(order);
    // Proves that the server can be reached, so git would have followed the redirect.
    expect(asked.some((url) => url.startsWith("/evil/"))).toBe(true);
    await free.stop();
    asked.length = 0;
    world.policy = { repositories: [`${origin}/acme/*`] };
    await world.startAgent({}, undefined, environment);
    expect((await world.deploy(order)).result).toMatchObject({ failure: { code: "fetch_failed" } });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((url) => !url.startsWith("/acme/"))).toEqual([]);
    server.close();
    server.closeAllConnections();
  });

  it("runs no LFS, which sends requests to hosts that the repository names", async () => {
    // Git prefers the process to the smudge command, and a server with Git LFS has one.
    const run = `touch ${trace()}; exit 1`;
    writeFileSync(
      join(world.folder, ".gitconfig"),
      `[filter "lfs"]\n\tsmudge = "${run}"\n\tprocess = "${run}"\n\trequired = true\n`,
    );
    world.repository.commit({ ".gitattributes": "*.bin filter=lfs\n", "a.bin": "pointer" });
    const environment = { ...process.env, HOME: world.folder };
    world.policy = { repositories: [world.repository.path] };
    const confined = await world.startAgent({}, undefined, environment);
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(world.read("current/a.bin")).toBe("pointer");
    expect(existsSync(trace())).toBe(false);
    await confined.stop();
    world.policy = {};
    await world.startAgent({}, undefined, environment);
    await world.deploy();
    // Proves that the owner's filter works, so git would have run it.
    expect(existsSync(trace())).toBe(true);
  });
});

describe("a control plane that sends arbitrary messages", () => {
  const nasty = fc.constantFrom<unknown>(
    "../../../etc",
    "--upload-pack=id",
    "-x",
    "$(id)",
    "`id`",
    "a\0b",
    "ext::sh -c id",
    "/etc",
    "..",
    "",
    " ",
    "a/../../b",
    "\u202e",
    "x".repeat(5000),
    -1,
    1e308,
    0,
    null,
    true,
    [],
    {},
    [[]],
  );

  it("never causes a write outside a project's folder, a command, or the agent's end", async () => {
    world.policy = {
      repositories: [],
      build_commands: "none",
      activate_commands: "none",
      health_checks: "none",
      remove_projects: "none",
    };
    const filesElsewhere = () =>
      readdirSync(world.folder, { recursive: true, encoding: "utf8" }).filter(
        (path) => !path.startsWith("home"),
      );
    const before = filesElsewhere();
    await world.startAgent();
    const paths = [
      "run_id",
      "project_id",
      "deployment_id",
      "project_name",
      "domain",
      "version",
      "source",
      "reuse_release",
      "root_directory",
      "framework",
      "build_command",
      "output_directory",
      "activate_command",
      "shared_paths",
      "health_check",
      "timeouts",
      "keep_releases",
      "permitted",
    ] as const;
    const orders = fc.array(fc.tuple(fc.constantFrom(...paths), nasty), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        orders,
        fc.constantFrom("run", "correct_release", "remove_project", "stop"),
        nasty,
        async (changes, type, value) => {
          const order = { ...world.order(), ...Object.fromEntries(changes) };
          world.control.sendText(JSON.stringify({ type: "run", order }));
          world.control.sendText(
            JSON.stringify({ type, project_id: value, release: value, purge: true, run_id: value }),
          );
        },
      ),
      { numRuns: 150 },
    );
    world.control.sendText("x".repeat(900_000));
    world.control.sendText("[".repeat(100_000));
    const { result } = await world.deploy();
    expect(result).toEqual(refused("repositories"));
    expect(filesElsewhere()).toEqual(before);
    world.control.breaches.length = 0;
  });

  it("loses the link after a message that is too long, and gets it back", async () => {
    await world.startAgent();
    const hellos = world.control.hellos;
    world.control.sendText("x".repeat(3 * MAX_LINK_MESSAGE + 1));
    await world.control.waitForHello(hellos);
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});
