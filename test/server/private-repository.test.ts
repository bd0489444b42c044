import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { DeployKey, RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

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

it("a private repository is deployed with the key that the API shows, and survives a restart of the agent", async () => {
  const { path, commit } = await createRepository(join(folder, "shop"));
  await commit({ "index.html": "private" });
  const project = await api.createProject({ name: "shop", server_id: server.id, repository: ssh.url(path) });
  const test = async () =>
    RepositoryTest.parse((await api.call("POST", `/v1/projects/${project.id}/repository-test`, {})).json);
  const key = DeployKey.parse((await api.call("GET", `/v1/projects/${project.id}/deploy-key`)).json);

  const failed = await api.ended((await api.start(project.id)).id, 60_000);
  expect(failed.failure?.message).toContain(`Tried the deploy key ${key.fingerprint}.`);
  expect(await test()).toMatchObject({ ok: false, code: "access_denied" });

  ssh.allow(key.public_key, path);
  expect(await test()).toMatchObject({
    ok: true,
    host_key: { fingerprint: ssh.hostFingerprint(), is_new: false },
  });
  expect(await api.ended((await api.start(project.id)).id, 60_000)).toMatchObject({
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
  expect(await api.ended((await api.start(project.id)).id, 60_000)).toMatchObject({ status: "live" });

  // Root forgets the host, and the agent can still write the file.
  await ssh.replaceHostKey();
  expect(await test()).toMatchObject({ ok: false, code: "host_key_changed" });
  await machine.tell(`gantry-agent forget-host '[127.0.0.1]:${ssh.port}'`);
  expect(await test()).toMatchObject({ ok: true, host_key: { is_new: true } });
  expect(await machine.tell("stat -c %U /var/lib/gantry/git-ssh/known_hosts")).toBe("gantry");
});
