import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { DeployKey, RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { createCertificate, serveGit } from "../support/git-server.ts";
import { watchProcesses } from "../agent/support/process-watch.ts";
import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import { createRepository } from "../support/journey-repository.ts";
import { serveSsh, type SshServer } from "../support/ssh-server.ts";
import { DebianMachine } from "./support/debian-machine.ts";

const folder = mkdtempSync(join(tmpdir(), "gantry-private-"));
let gantry: Gantry;
let api: Api;
let machine: DebianMachine;
let server: ServerCreated;
let ssh: SshServer;
beforeAll(async () => {
  [gantry, machine, ssh] = await Promise.all([
    useGantry(),
    DebianMachine.boot(),
    serveSsh(join(folder, "ssh-server")),
  ]);
  api = createApi(gantry.url, gantry.token);
  server = await registerServer(gantry);
  expect((await machine.run(server.enrollment.command)).code).toBe(0);
});
afterAll(async () => {
  await ssh.close();
  await machine.close();
  await rm(folder, { recursive: true });
});

/** Asks the agent whether it can read the project's repository. */
async function testRepository(projectId: string): Promise<RepositoryTest> {
  const { json } = await api.call("POST", `/v1/projects/${projectId}/repository-test`, {});
  return RepositoryTest.parse(json);
}

it("a private repository is deployed with the key that the API shows, and survives a restart of the agent", async () => {
  const { path, commit } = await createRepository(join(folder, "shop"));
  await commit({ "index.html": "private" });
  const project = await api.createProject({ name: "shop", server_id: server.id, repository: ssh.url(path) });
  const test = () => testRepository(project.id);
  const key = DeployKey.parse((await api.call("GET", `/v1/projects/${project.id}/deploy-key`)).json);

  const failed = await api.ended((await api.start(project.id)).id);
  expect(failed.failure?.message).toContain(`Tried the deploy key ${key.fingerprint}.`);
  expect(await test()).toMatchObject({ ok: false, code: "access_denied" });

  ssh.allow(key.public_key, path);
  expect(await test()).toMatchObject({
    ok: true,
    host_key: { fingerprint: ssh.hostFingerprint(), is_new: false },
  });
  expect(await api.ended((await api.start(project.id)).id)).toMatchObject({
    status: "live",
    failure: null,
  });

  // Only the agent's user can read it, and no build of a project sees it in its folder.
  const file = `/var/lib/gantry/git-ssh/keys/${project.id}`;
  expect(await machine.tell(`stat -c '%U %a' ${file} /var/lib/gantry/git-ssh/keys`)).toBe(
    "gantry 600\ngantry 700",
  );
  expect(await machine.tell("gantry-agent status")).toContain(
    `pinned ssh host: [127.0.0.1]:${ssh.port} ${ssh.hostFingerprint()} (ED25519)`,
  );

  await machine.tell("systemctl restart gantry-agent");
  await expect.poll(async () => (await machine.run("gantry-agent status")).code).toBe(0);
  await commit({ "index.html": "changed" });
  expect(await api.ended((await api.start(project.id)).id)).toMatchObject({ status: "live" });

  // Root forgets the host, and the agent can still write the file.
  await ssh.replaceHostKey();
  expect(await test()).toMatchObject({ ok: false, code: "host_key_changed" });
  await machine.tell(`gantry-agent forget-host '[127.0.0.1]:${ssh.port}'`);
  expect(await test()).toMatchObject({ ok: true, host_key: { is_new: true } });
  expect(await machine.tell("stat -c %U /var/lib/gantry/git-ssh/known_hosts")).toBe("gantry");
});

it("a private repository is deployed over https with a token that only git gets", async () => {
  const token = "repository-token-4711";
  const { commit } = await createRepository(join(folder, "blog"));
  await commit({ "index.html": "private", "build.sh": "cat /proc/[0-9]*/environ > seen.txt" });
  const certificate = createCertificate(folder);
  await machine.write("/usr/local/share/ca-certificates/test.crt", readFileSync(certificate.cert, "utf8"));
  await machine.tell("update-ca-certificates");
  const gitServer = await serveGit({ certificate, folder, login: `bot:${token}`, delayMs: 100 });
  onTestFinished(() => gitServer.close());
  const project = await api.createProject({
    name: "blog",
    server_id: server.id,
    repository: gitServer.url("blog", "bot"),
    install_command: "id -un > user.txt",
    build_command: "sh build.sh",
  });

  const refused = await api.ended((await api.start(project.id)).id);
  expect(refused.failure).toMatchObject({
    code: "fetch_failed",
    message: expect.stringContaining("set the secret GANTRY_REPOSITORY_TOKEN"),
  });
  expect(await testRepository(project.id)).toMatchObject({ ok: false, code: "access_denied" });

  const set = [{ name: "GANTRY_REPOSITORY_TOKEN", value: token, secret: true }];
  expect((await api.call("PATCH", `/v1/projects/${project.id}/variables`, { set })).status).toBe(200);
  expect(await testRepository(project.id)).toMatchObject({ ok: true });
  const watch = watchProcesses();
  const { id } = await api.start(project.id);
  expect(await api.ended(id)).toMatchObject({ status: "live", failure: null });
  const lines = watch.stop();
  expect(lines.some((line) => line.includes("remote-https"))).toBe(true);
  expect(lines.filter((line) => line.includes(token))).toEqual([]);
  expect(gitServer.logins).toContain(`bot:${token}`);

  // Both commands run as the project's user, in sequence.
  expect(await machine.tell(`cat /var/lib/gantry/projects/${project.id}/current/user.txt`)).toBe(project.id);
  // The build wrote every environment that it could read to a file of its release.
  const release = `/var/lib/gantry/projects/${project.id}`;
  expect(await machine.tell(`grep -rl GANTRY_ ${release} | grep seen.txt`)).not.toBe("");
  expect(JSON.stringify(await api.log(id))).not.toContain(token);
  const found = await machine.run(
    `journalctl --no-pager | grep -c ${token}; grep -rl ${token} /var/lib/gantry /run /tmp`,
  );
  expect(found.output.trim()).toBe("0");
});
