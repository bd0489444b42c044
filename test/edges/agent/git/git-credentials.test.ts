import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { SealedToken } from "#contract/agent-order.ts";

import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import {
  createCertificate,
  type GitServer,
  type GitServerOptions,
  serveGit,
} from "../../../support/git-server.ts";
import { sealVariables } from "../../../agent/support/sealed-variables.ts";
import { watchProcesses } from "../../../agent/support/process-watch.ts";
import { createRepository, type TestRepository } from "../../../agent/support/repository.ts";

const TOKEN = "ghp_0123456789abcdefghij";
const LOGIN = `bot:${TOKEN}`;

let world: AgentWorld;
let certificate: GitServerOptions["certificate"];
const servers: GitServer[] = [];

beforeEach(async () => {
  world = await AgentWorld.create();
  certificate = createCertificate(world.folder);
  writeFileSync(join(world.folder, ".gitconfig"), `[http]\n\tsslCAInfo = ${certificate.cert}\n`);
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await world.close();
});

async function serve(options: Partial<GitServerOptions> = {}): Promise<GitServer> {
  const server = await serveGit({ certificate, folder: world.folder, login: LOGIN, ...options });
  servers.push(server);
  return server;
}

function startAgent() {
  return world.startAgent({}, undefined, { PATH: process.env["PATH"], HOME: world.folder });
}

function deploy(repository: string) {
  return world.deploy({ source: { repository, branch: "main", commit: null } });
}

/** Commits a submodule to its parent repository, as `git submodule add` does. */
function addSubmodule(parent: TestRepository, module: TestRepository, url: string): void {
  const sha = module.git("rev-parse", "HEAD");
  parent.commit({ ".gitmodules": `[submodule "part"]\n\tpath = part\n\turl = ${url}\n` });
  parent.git("update-index", "--add", "--cacheinfo", `160000,${sha},part`);
  parent.git("commit", "--quiet", "--message=a submodule");
}

describe("the login of a repository", () => {
  it("appears in no command line and no environment while its commit and its submodules are fetched", async () => {
    const module = createRepository(join(world.folder, "module"));
    module.commit({ "part.txt": "part" });
    world.repository.commit({ "index.html": "one" });
    addSubmodule(world.repository, module, "../module");
    const server = await serve({ delayMs: 100 });
    await startAgent();
    const watch = watchProcesses();
    const { result } = await deploy(server.url("repository", LOGIN));
    const lines = watch.stop();
    expect(result.outcome).toBe("live");
    expect(readdirSync(join(world.home, "git-ssh/logins"))).toEqual([]);
    expect(world.read("current/part/part.txt")).toBe("part");
    // Proves that the watch was quick enough to see the fetching processes.
    expect(lines.some((line) => line.includes("remote-https"))).toBe(true);
    expect(lines.filter((line) => line.includes(TOKEN) || /(?:=|\/)bot[:@\n]/.test(line))).toEqual([]);
  });

  it.each([
    ["a token as the user name, without a password", TOKEN, `${TOKEN}:`],
    ["percent-encoded characters", "a%40b:p%3Ass%20w%2Frd", "a@b:p:ss w/rd"],
    ["characters that a shell would read", "bot:$(touch%20x)%60id%60%22'%5Cn", "bot:$(touch x)`id`\"'\\n"],
    ["a percent sign that encodes nothing", "bot:100%", "bot:100%"],
  ])("may have %s", async (_, written, sent) => {
    world.repository.commit({ "index.html": "one" });
    const server = await serve({ login: sent });
    await startAgent();
    const { result } = await deploy(server.url("repository", written));
    expect(result.outcome).toBe("live");
    expect(server.logins).toContain(sent);
  });

  it("may be the project's repository token, which only git gets", async () => {
    const module = createRepository(join(world.folder, "module"));
    module.commit({ "part.txt": "part" });
    world.repository.commit({ "index.html": "one" });
    addSubmodule(world.repository, module, "../module");
    const server = await serve({ login: `git:${TOKEN}`, delayMs: 100 });
    await startAgent();
    const variables = await sealVariables(
      world,
      {},
      { GANTRY_REPOSITORY_TOKEN: { value: TOKEN, build: true } },
    );
    const watch = watchProcesses();
    const { run, result } = await world.deploy({
      source: { repository: server.url("repository"), branch: "main", commit: null },
      build_command: "env",
      variables,
    });
    const lines = watch.stop();
    expect(result.outcome).toBe("live");
    expect(world.read("current/part/part.txt")).toBe("part");
    expect(messagesOf(run).join("\n")).not.toContain("GANTRY_REPOSITORY_TOKEN");
    expect(lines.filter((line) => line.includes(TOKEN))).toEqual([]);
  });

  it("does not appear in the log when the server refuses it", async () => {
    world.repository.commit({ "index.html": "one" });
    const server = await serve({ login: "bot:another" });
    await startAgent();
    const { result, run } = await deploy(server.url("repository", LOGIN));
    expect(result).toMatchObject({ failure: { code: "fetch_failed" } });
    expect(JSON.stringify([result, messagesOf(run)])).not.toContain(TOKEN);
    expect(JSON.stringify(result)).toContain("Authentication failed");
  });

  it("is not sent to another host after a redirect or for a submodule there", async () => {
    const module = createRepository(join(world.folder, "module"));
    module.commit({ "part.txt": "part" });
    world.repository.commit({ "index.html": "one" });
    const other = await serve();
    addSubmodule(world.repository, module, other.url("module"));
    const redirecting = await serve({
      intercept: (request, response) => {
        if (!request.url?.startsWith("/moved/")) return false;
        const location = `${other.origin}${request.url.replace("/moved/", "/")}`;
        response.writeHead(302, { location }).end();
        return true;
      },
    });
    await startAgent();
    const moved = await deploy(redirecting.url("moved/repository", LOGIN));
    expect(moved.result).toMatchObject({ failure: { code: "fetch_failed" } });
    const elsewhere = await deploy(redirecting.url("repository", LOGIN));
    expect(elsewhere.result).toMatchObject({ failure: { code: "fetch_failed" } });
    // The other host received both requests.
    expect(other.logins.length).toBeGreaterThanOrEqual(2);
    expect(other.logins.filter((login) => login !== "")).toEqual([]);
  });

  it("is used for a submodule on the same host without a login of its own", async () => {
    const module = createRepository(join(world.folder, "module"));
    module.commit({ "part.txt": "part" });
    world.repository.commit({ "index.html": "one" });
    const server = await serve();
    addSubmodule(world.repository, module, server.url("module"));
    await startAgent();
    expect((await deploy(server.url("repository", LOGIN))).result.outcome).toBe("live");
    expect(world.read("current/part/part.txt")).toBe("part");
  });

  it("takes precedence over the owner's credential helper, which only completes a user name", async () => {
    world.repository.commit({ "index.html": "one" });
    const server = await serve({ login: "me:from-helper" });
    const helper = `!f() { echo asked >> ${join(world.folder, "asked")}; echo password=from-helper; }; f`;
    appendFileSync(join(world.folder, ".gitconfig"), `[credential]\n\thelper = "${helper}"\n`);
    await startAgent();
    expect((await deploy(server.url("repository", "me"))).result.outcome).toBe("live");
    const { result } = await deploy(server.url("repository", "me:wrong"));
    expect(result).toMatchObject({ failure: { code: "fetch_failed" } });
  });
});

it("a repository test uses the sealed token of the project, and its answer does not contain it", async () => {
  world.repository.commit({ "index.html": "one" });
  const server = await serve({ login: `git:${TOKEN}` });
  await startAgent();
  const test = async (request_id: string, token?: SealedToken) => {
    world.control.send({
      ...{ type: "test_repository", request_id, project_id: world.projectId, project_name: "shop" },
      ...{ repository: server.url("repository"), branch: "main", ...(token === undefined ? {} : { token }) },
    });
    const find = () =>
      world.control.messages.find((one) => one.type === "repository_tested" && one.request_id === request_id);
    await world.control.waitFor("the answer", () => find() !== undefined);
    return find();
  };
  expect(await test("without")).toMatchObject({
    result: { ok: false, code: "access_denied", tried: "no login" },
  });
  const { account_id, secrets } = await sealVariables(
    world,
    {},
    { GANTRY_REPOSITORY_TOKEN: { value: TOKEN, revision: 3 }, OTHER: { value: "another-secret" } },
  );
  const [sealed, other] = secrets.map((secret) => secret.sealed);
  if (sealed == null || other == null) throw new Error("the secrets are sealed");
  expect(await test("with", { account_id, revision: 3, sealed })).toMatchObject({ result: { ok: true } });
  const wrong = await sealVariables(
    world,
    {},
    { GANTRY_REPOSITORY_TOKEN: { value: "wrong-token", revision: 4 } },
  );
  const refused = await test("wrong", {
    account_id: wrong.account_id,
    revision: 4,
    sealed: wrong.secrets[0]?.sealed ?? sealed,
  });
  expect(refused).toMatchObject({
    result: {
      code: "access_denied",
      message: expect.stringContaining("write it in the address, as in https://USER@host/path"),
      tried: "the project's GANTRY_REPOSITORY_TOKEN as the password of the user `git`",
    },
  });
  // A box of another secret does not open as the token.
  expect(await test("swapped", { account_id, revision: 3, sealed: other })).toMatchObject({
    result: { ok: false, code: "failed" },
  });
  expect(JSON.stringify(world.control.messages)).not.toContain(TOKEN);
});

it("a password in an ssh URL is not passed to ssh, which cannot use it", async () => {
  const argumentsFile = join(world.folder, "ssh-arguments");
  const ssh = `echo "$@" > ${argumentsFile}; exit 1; :`;
  await world.startAgent({}, undefined, {
    PATH: process.env["PATH"],
    HOME: world.folder,
    GIT_SSH_COMMAND: ssh,
  });
  await deploy(`ssh://git:${TOKEN}@localhost/acme/shop.git`);
  expect(readFileSync(argumentsFile, "utf8")).toContain("git@localhost");
  expect(readFileSync(argumentsFile, "utf8")).not.toContain(TOKEN);
});
