import { readdirSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readDeployKey } from "#agent/git/ssh/deploy-keys.ts";
import type { AgentAnswer } from "#contract/agent-answers.ts";
import type { ProjectId } from "#contract/ids.ts";

import { startNameServer } from "../../../support/name-server.ts";
import { serveSsh, type SshServer } from "../../../support/ssh-server.ts";
import { ids, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
let server: SshServer;
let asked = 0;
beforeEach(async () => {
  world = await AgentWorld.create();
  server = await serveSsh(join(world.folder, "ssh-server"));
});
afterEach(async () => {
  await world.close();
  await server.close();
});

function startAgent() {
  return world.startAgent({}, undefined, { PATH: process.env["PATH"], HOME: join(world.folder, "user") });
}

async function answerTo(request_id: string): Promise<AgentAnswer> {
  const find = () =>
    world.control.messages.find(
      (one): one is AgentAnswer => "request_id" in one && one.request_id === request_id,
    );
  await world.control.waitFor(`the answer to ${request_id}`, () => find() !== undefined);
  const answer = find();
  if (answer === undefined) throw new Error("no answer");
  return answer;
}

async function makeKey(project_id = world.projectId) {
  const request_id = `request-${(asked += 1)}`;
  world.control.send({ type: "make_deploy_key", request_id, project_id, project_name: "My Shop" });
  const answer = await answerTo(request_id);
  if (answer.type !== "deploy_key" || answer.public_key === null) throw new Error(JSON.stringify(answer));
  return answer.public_key;
}

function requestTest(repository: string, branch = "main") {
  const request_id = `request-${(asked += 1)}`;
  const { projectId: project_id } = world;
  world.control.send({
    ...{ type: "test_repository", request_id, project_id, project_name: "My Shop" },
    ...{ repository, branch },
  });
  return answerTo(request_id);
}

async function test(repository: string, branch?: string) {
  const answer = await requestTest(repository, branch);
  if (answer.type !== "repository_tested") throw new Error(JSON.stringify(answer));
  return answer.result;
}

/** @param secondsOfFetch as a project may have them: also parts of seconds */
function requestCommit(project_id: ProjectId, repository: string, secondsOfFetch: number): string {
  const request_id = `request-${(asked += 1)}`;
  world.control.send({
    ...{ type: "resolve_commit", request_id, project_id, project_name: "My Shop" },
    ...{ deployment_id: ids.deployment(), timeout_seconds: secondsOfFetch },
    source: { repository, branch: "main", commit: null, commits: "any", in_branch: false },
  });
  return request_id;
}

/** A host that accepts connections and sends nothing. */
async function unansweringServer() {
  const sockets: Socket[] = [];
  const host = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const address = host.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const close = () => {
    for (const socket of sockets) socket.destroy();
    host.close();
  };
  return { port: address.port, close };
}

describe("a request for the deploy key", () => {
  it("creates the key once for two requests, and the next hello repeats it", async () => {
    const agent = await startAgent();
    const key = await makeKey();
    expect(key).toMatch(/^ssh-ed25519 \S{68} gantry-My-Shop@/);
    expect(await Promise.all([makeKey(), makeKey()])).toEqual([key, key]);
    await agent.stop();
    await startAgent();
    expect(world.control.messages.findLast(({ type }) => type === "hello")).toMatchObject({
      deploy_keys: [{ project_id: world.projectId, public_key: key }],
    });
  });

  it("creates one key, however many requests arrive at once", async () => {
    await startAgent();
    const project = ids.project();
    const keys = await Promise.all(Array.from({ length: 10 }, () => makeKey(project)));
    expect(new Set(keys).size).toBe(1);
    expect(readdirSync(join(world.home, "git-ssh/keys"))).toEqual([project]);
  });
});

describe("the commit of an approval", () => {
  it("is found while the host of another project never answers, however many deployments that has", async () => {
    const silent = await unansweringServer();
    world.cleanUps.push(silent.close);
    const commit_sha = world.repository.commit({ "index.html": "one" });
    await startAgent();
    const url = `https://127.0.0.1:${silent.port}/shop.git`;
    for (let count = 0; count < 6; count += 1) requestCommit(world.projectId, url, 600.5);
    const answer = await answerTo(requestCommit(ids.project(), world.repository.path, 600.5));
    expect(answer).toMatchObject({ result: { ok: true, commit_sha } });
  });
});

describe("a check of host names", () => {
  it("is one for requests that arrive at once, and asks the name servers", async () => {
    const names = await startNameServer({ "shop.example.com": ["198.51.100.7"] });
    world.cleanUps.push(() => names.close());
    await world.startAgent({ nameServerPort: names.port });
    const domains = ["shop.example.com", "gone.example.com", "shop.internal"];
    const { projectId: project_id } = world;
    for (const request_id of ["one", "two"])
      world.control.send({ type: "check_domains", request_id, project_id, domains });
    const found = [
      { lookup: "answered", addresses: [{ address: "198.51.100.7", is_server: false }] },
      { lookup: "answered", addresses: [] },
      { lookup: "private", addresses: [] },
    ].map((one, at) => ({ ...one, domain: domains[at], certificate: null }));
    for (const request_id of ["one", "two"])
      expect(await answerTo(request_id)).toEqual({
        ...{ type: "domains_checked", request_id, project_id },
        domains: found,
      });
    // A and AAAA of two names.
    expect(names.questions).toBe(4);
  });
});

describe("a repository test", () => {
  it("says which key was refused, and finds the branch when the key was added", async () => {
    const sha = world.repository.commit({ "index.html": "one" });
    await startAgent();
    const url = server.url(world.repository.path);
    const refused = await test(url);
    const key = await readDeployKey(world.home, world.projectId);
    expect(refused).toMatchObject({
      message: expect.stringContaining(
        `its host key ${server.hostFingerprint()} (ED25519) is trusted from now on`,
      ),
    });
    expect(refused).toMatchObject({
      ok: false,
      code: "access_denied",
      message: expect.stringMatching(/^[^\r\n]*Permission denied[^\r\n]*\nTried the deploy key/),
      tried: `the deploy key ${key?.fingerprint}`,
    });
    server.allow(key?.publicKey ?? "", world.repository.path);
    expect(await test(url)).toEqual({
      ok: true,
      branch: "main",
      commit_sha: sha,
      tried: `the deploy key ${key?.fingerprint}`,
      host_key: {
        host: `[127.0.0.1]:${server.port}`,
        type: "ED25519",
        fingerprint: server.hostFingerprint(),
        is_new: false,
      },
    });
    world.repository.git("branch", "feature/x");
    world.repository.git("branch", "it's");
    const lines = async (branch: string) => {
      const result = await test(url, branch);
      return result.ok || result.code !== "branch_not_found" ? result : result.message.split("\n");
    };
    const set = (branch: string) => `To deploy that, run: gantry projects set 'My Shop' --branch ${branch}`;
    const none = (branch: string) => `the repository can be read, but has no branch or tag \`${branch}\``;
    expect(await lines("master")).toEqual([none("master"), `Its default branch is \`main\`. ${set("main")}`]);
    const nearly = [none("origin/feature/x"), `It has \`feature/x\`. ${set("feature/x")}`];
    expect(await lines("origin/feature/x")).toEqual(nearly);
    expect(await lines("It's")).toEqual([none("It's"), `It has \`it's\`. ${set(String.raw`'it'\''s'`)}`]);
    world.repository.git("symbolic-ref", "HEAD", "refs/heads/unborn");
    expect(await lines("master")).toEqual([
      none("master"),
      "Its branches are `feature/x`, `it's`, `main`. To deploy one, run: gantry projects set 'My Shop' --branch BRANCH",
    ]);
    await server.replaceHostKey();
    expect(await test(url)).toMatchObject({
      ok: false,
      code: "host_key_changed",
      message: expect.stringContaining(server.hostFingerprint()),
    });
    expect(readdirSync(join(world.home, "git-ssh")).filter((name) => name.startsWith("test-"))).toEqual([]);
  });

  it("says that a repository is empty", async () => {
    await startAgent();
    server.allow(await makeKey(), world.repository.path);
    expect(await test(server.url(world.repository.path))).toMatchObject({
      code: "branch_not_found",
      message: "the repository can be read, and is empty: push a commit to it",
    });
  });

  it("shows the key of a host that it trusts for the first time", async () => {
    world.repository.commit({ "index.html": "one" });
    await startAgent();
    server.allow(await makeKey(), world.repository.path);
    expect(await test(server.url(world.repository.path))).toMatchObject({
      host_key: { is_new: true, fingerprint: server.hostFingerprint() },
    });
  });

  it("keeps to the policy", async () => {
    world.policy = { repositories: ["git@github.com:acme/*"], branches: ["main"] };
    await startAgent();
    expect(await test(server.url(world.repository.path))).toMatchObject({ code: "refused_by_policy" });
    expect(await test("git@github.com:acme/shop", "next")).toMatchObject({ code: "refused_by_policy" });
  });

  it("says that a host cannot be reached, without the password of the address", async () => {
    await startAgent();
    const result = await test("https://bot:sesame-open@127.0.0.1:1/shop.git");
    expect(result).toMatchObject({ ok: false, code: "unreachable" });
    expect(JSON.stringify(world.control.messages)).not.toContain("sesame-open");
  });

  it("ends after ten seconds with a host that never answers, and runs at most four at once", async () => {
    const silent = await unansweringServer();
    world.cleanUps.push(silent.close);
    await startAgent();
    const startedAt = performance.now();
    const url = `https://127.0.0.1:${silent.port}/shop.git`;
    const results = await Promise.all(Array.from({ length: 6 }, () => test(url)));
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    const codes = results.map((result) => (result.ok ? "ok" : result.code)).toSorted();
    expect(codes).toEqual([
      ...Array.from({ length: 4 }, () => "timed_out"),
      ...Array.from({ length: 2 }, () => "too_many_tests"),
    ]);
  });
});
