import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openPolicy } from "#agent/policy/policy.ts";
import { readDeployKey } from "#agent/git/ssh/deploy-keys.ts";
import { forgetHost } from "#agent/git/ssh/host-pins.ts";
import { reportDeployKeys } from "#agent/report/report-keys.ts";
import type { ProjectId } from "#contract/ids.ts";

import { serveSsh, type SshServer } from "../../../support/ssh-server.ts";
import { ids, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import { createRepository, type TestRepository } from "../../../agent/support/repository.ts";

let world: AgentWorld;
let server: SshServer;
beforeEach(async () => {
  world = await AgentWorld.create();
  server = await serveSsh(join(world.folder, "ssh-server"));
  world.repository.commit({ "index.html": "private" });
});
afterEach(async () => {
  await world.close();
  await server.close();
});

function startAgent(environment: NodeJS.ProcessEnv = {}) {
  return world.startAgent({}, undefined, {
    PATH: process.env["PATH"],
    HOME: join(world.folder, "user"),
    ...environment,
  });
}

function deploy(repository: TestRepository = world.repository, projectId: ProjectId = world.projectId) {
  return world.deploy({
    project_id: projectId,
    source: { repository: server.url(repository.path), branch: "main", commit: null },
  });
}

async function keyOf(projectId: ProjectId = world.projectId) {
  const key = await readDeployKey(world.home, projectId);
  if (key === null) throw new Error("the project has no key");
  return key;
}

describe("the deploy key of a project", () => {
  it("is named by the failure of the first deployment, and reads the repository when it was added there", async () => {
    await startAgent();
    const refused = await deploy();
    const key = await keyOf();
    expect(refused.result).toMatchObject({ outcome: "failed", failure: { code: "fetch_failed" } });
    const text = JSON.stringify(refused.result);
    expect(text).toContain("Permission denied");
    expect(text).toContain(`Tried the deploy key ${key.fingerprint}.`);
    expect(text).toContain(`${world.control.url}/app/projects/${world.projectId}/repository`);
    server.allow(key.publicKey, world.repository.path);
    expect((await deploy()).result.outcome).toBe("live");
    expect(world.read("current/index.html")).toBe("private");
  });

  it("is a key that ssh-keygen reads, with a comment that names the project, for the agent's user only", async () => {
    await startAgent();
    await deploy();
    const { path, publicKey, fingerprint } = await keyOf();
    expect(publicKey).toMatch(/^ssh-ed25519 [\w+/]+ gantry-shop@[\w.-]+$/);
    expect(execFileSync("ssh-keygen", ["-y", "-f", path], { encoding: "utf8" }).trim()).toBe(publicKey);
    expect(execFileSync("ssh-keygen", ["-l", "-f", path], { encoding: "utf8" })).toContain(fingerprint);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.home, "git-ssh/keys")).mode & 0o777).toBe(0o700);
  });

  it("stays the same when the agent restarts", async () => {
    const agent = await startAgent();
    await deploy();
    const before = await keyOf();
    await agent.stop();
    await startAgent();
    await deploy();
    expect(await keyOf()).toEqual(before);
    expect(readdirSync(join(world.home, "git-ssh/keys"))).toEqual([world.projectId]);
  });

  it("does not open the repository of another project", async () => {
    await startAgent();
    const other = createRepository(join(world.folder, "other"));
    other.commit({ "index.html": "other" });
    const otherProject = ids.project();
    await deploy();
    await deploy(other, otherProject);
    const [own, others] = [await keyOf(), await keyOf(otherProject)];
    expect(own.fingerprint).not.toBe(others.fingerprint);
    server.allow(own.publicKey, world.repository.path);
    server.allow(others.publicKey, other.path);
    expect((await deploy()).result.outcome).toBe("live");
    const refused = await deploy(world.repository, otherProject);
    expect(refused.result).toMatchObject({ failure: { code: "fetch_failed" } });
    expect(JSON.stringify(refused.result)).toContain(`Tried the deploy key ${others.fingerprint}.`);
  });

  it("is shared by all projects if the policy says so", async () => {
    world.policy = { deploy_keys: "server" };
    await startAgent();
    await deploy();
    await deploy(world.repository, ids.project());
    expect(readdirSync(join(world.home, "git-ssh/keys"))).toEqual(["server"]);
  });

  it("is reported for each project when the policy changes to a shared one and back", async () => {
    await startAgent();
    await deploy();
    const { publicKey: own } = await keyOf();
    const other = ids.project();
    const reportWith = (deploy_keys: "project" | "server") =>
      reportDeployKeys({ home: world.home, environment: {}, policy: { ...openPolicy, deploy_keys } }, [
        world.projectId,
        other,
      ]);
    const shared = new Map((await reportWith("server")).map((key) => [key.project_id, key.public_key]));
    expect(shared.size).toBe(2);
    expect(shared.get(world.projectId)).toBe(shared.get(other));
    expect(shared.get(other)).not.toBe(own);
    const apart = new Map((await reportWith("project")).map((key) => [key.project_id, key.public_key]));
    expect(apart.get(world.projectId)).toBe(own);
    expect(apart.get(other)).not.toBe(shared.get(other));
  });

  it("also reads a submodule on the same host", async () => {
    const module = createRepository(join(world.folder, "module"));
    const sha = module.commit({ "part.txt": "part" });
    world.repository.commit({
      ".gitmodules": `[submodule "part"]\n\tpath = part\n\turl = ${server.url(module.path)}\n`,
    });
    world.repository.git("update-index", "--add", "--cacheinfo", `160000,${sha},part`);
    world.repository.git("commit", "--quiet", "--message=a submodule");
    await startAgent();
    await deploy();
    const { publicKey } = await keyOf();
    server.allow(publicKey, world.repository.path);
    const refused = await deploy();
    expect(JSON.stringify(refused.result)).toContain("Add the deploy key to the repository");
    server.allow(publicKey, world.repository.path, module.path);
    expect((await deploy()).result.outcome).toBe("live");
    expect(world.read("current/part/part.txt")).toBe("part");
  });

  it("is deleted with the project's files, and kept with them", async () => {
    await startAgent();
    await deploy();
    const { path } = await keyOf();
    const confirmed = () => world.control.messages.filter(({ type }) => type === "project_removed").length;
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await world.control.waitFor("the confirmation", () => confirmed() === 1);
    expect(existsSync(path)).toBe(true);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: true });
    await world.control.waitFor("the confirmation", () => confirmed() === 2);
    expect(existsSync(path)).toBe(false);
  });

  it("leaves no draft of an agent that was killed while it created the key", async () => {
    const keys = join(world.home, "git-ssh/keys");
    mkdirSync(keys, { recursive: true });
    writeFileSync(join(keys, `${world.projectId}.0c7a2c1e.tmp`), "half a key");
    await startAgent();
    await deploy();
    expect(readdirSync(keys)).toEqual([world.projectId]);
    expect((await keyOf()).publicKey).toMatch(/^ssh-ed25519 /);
  });

  it("that is damaged is not replaced silently: the failure says what to do", async () => {
    await startAgent();
    await deploy();
    const { path } = await keyOf();
    writeFileSync(path, readFileSync(path, "utf8").slice(0, 200));
    const { result } = await deploy();
    expect(result).toMatchObject({ failure: { code: "fetch_failed" } });
    expect(JSON.stringify(result)).toContain(`the deploy key ${path} is damaged: delete the file`);
  });

  it("is not used when the agent's environment has a GIT_SSH_COMMAND", async () => {
    const own = join(world.folder, "own-key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", own]);
    server.allow(readFileSync(`${own}.pub`, "utf8").trim(), world.repository.path);
    await startAgent({ GIT_SSH_COMMAND: `ssh -i ${own} -o StrictHostKeyChecking=no` });
    expect((await deploy()).result.outcome).toBe("live");
    expect(existsSync(join(world.home, "git-ssh/keys"))).toBe(false);
  });

  it("leaves the default keys of the agent's user in use", async () => {
    const own = join(world.folder, "user/.ssh/id_ed25519");
    mkdirSync(join(world.folder, "user/.ssh"), { recursive: true });
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", own]);
    server.allow(readFileSync(`${own}.pub`, "utf8").trim(), world.repository.path);
    await startAgent();
    expect((await deploy()).result.outcome).toBe("live");
  });
});

describe("the key of an ssh host", () => {
  it("is trusted at the first connection, which the log shows, and pinned", async () => {
    await startAgent();
    await deploy();
    server.allow((await keyOf()).publicKey, world.repository.path);
    const { run } = await deploy();
    expect(messagesOf(run).filter((line) => line.includes("first connection"))).toEqual([]);
    expect(readFileSync(join(world.home, "git-ssh/known_hosts"), "utf8")).toContain(
      `[127.0.0.1]:${server.port} `,
    );
  });

  it("appears in the log of the deployment that connects first", async () => {
    await startAgent();
    const { run } = await deploy();
    expect(messagesOf(run, "system")).toContain(
      `first connection to [127.0.0.1]:${server.port}: its host key ${server.hostFingerprint()} (ED25519) is trusted from now on`,
    );
  });

  it("that has changed is refused with both fingerprints, until the host is forgotten", async () => {
    await startAgent();
    await deploy();
    server.allow((await keyOf()).publicKey, world.repository.path);
    const before = server.hostFingerprint();
    await server.replaceHostKey();
    const { result } = await deploy();
    expect(result).toMatchObject({ failure: { code: "fetch_failed" } });
    const text = JSON.stringify(result);
    const host = `[127.0.0.1]:${server.port}`;
    expect(text).toContain(`The host key of ${host} has changed: it is known by ${before} (ED25519)`);
    expect(text).toContain(`it now sends ${server.hostFingerprint()}`);
    expect(text).toContain(`gantry-agent forget-host '${host}'`);
    expect(await forgetHost(world.home, host)).toBe(true);
    expect((await deploy()).result.outcome).toBe("live");
  });

  it("is refused too if it is of another type than the pinned one", async () => {
    await startAgent();
    await deploy();
    server.allow((await keyOf()).publicKey, world.repository.path);
    await server.replaceHostKey("ecdsa");
    const { result } = await deploy();
    expect(result).toMatchObject({ failure: { code: "fetch_failed" } });
    expect(JSON.stringify(result)).toContain(`it now sends ${server.hostFingerprint()} (ECDSA)`);
  });

  it("is refused at the first connection if the policy accepts only known hosts", async () => {
    world.policy = { host_keys: "known" };
    await startAgent();
    const { result } = await deploy();
    expect(JSON.stringify(result)).toContain("this server's policy (host_keys) accepts no new ones");
  });
});
