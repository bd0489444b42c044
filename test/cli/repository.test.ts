import { rm } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { RepositoryTest } from "#contract/endpoints/projects/repository-access.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import type { Host } from "../support/faults/host.ts";
import { createInstallation, type Installation } from "../support/faults/installation.ts";
import { createSite, type Site } from "../support/faults/site.ts";
import { serveSsh, type SshServer } from "../support/ssh-server.ts";
import { createCli, jsonOf } from "./support/command.ts";

const cli = createCli();
let installation: Installation;
let host: Host;
let site: Site;
let server: SshServer;

beforeAll(async () => {
  installation = await createInstallation();
  host = await installation.addServer("web-1", null, true);
  site = await createSite(installation, host, "private");
  server = await serveSsh(join(installation.home, "ssh-server"));
});
afterAll(async () => {
  await server.close();
  await installation.stop();
  await rm(installation.home, { recursive: true, force: true, maxRetries: 5 });
});

const gantry = (...args: string[]) =>
  cli.run(args, {
    env: {
      GANTRY_URL: installation.clients.url,
      GANTRY_TOKEN: installation.token,
      GANTRY_PROJECT: site.projectId,
    },
  });

it("a private repository is set up with the command alone: the key, the refused test, and the test that passes", async () => {
  const repository = server.url(site.source.repository.path);
  expect(await gantry("projects", "set", "--repository", repository)).toMatchObject({ code: 0 });

  const shown = await gantry("projects", "show");
  const key = /^deploy key\t(.*)$/m.exec(shown.stdout)?.[1] ?? "";
  const fingerprint = /^fingerprint\t(.*)$/m.exec(shown.stdout)?.[1] ?? "";
  expect(key).toMatch(/^ssh-ed25519 /);
  expect(shown.stdout).toMatch(/^step 1\tOpen the settings of the repository/m);
  const json = Project.parse(jsonOf((await gantry("projects", "show", "--json")).stdout));
  expect(json.deploy_key).toEqual({ public_key: key, fingerprint });

  const refused = await gantry("projects", "test-repository");
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("reason\taccess_denied");
  expect(refused.stdout).toContain(`tried\tthe deploy key ${fingerprint}`);
  expect(refused.stdout).toContain(`/app/projects/${site.projectId}/repository`);

  const created = await gantry("projects", "create", "second", "--repository", repository);
  expect(created.stdout).toMatch(
    /^deploy key\tssh-ed25519 .*\n(?:.*\n)*step 1\tOpen the settings of the repository/m,
  );

  const nowhere = join(installation.home, "nowhere.git");
  const absent = await gantry("projects", "create", "third", "--repository", nowhere);
  expect(absent).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("gantry projects set third --repository PATH"),
  });
  const readable = await gantry("projects", "create", "fourth", "--repository", site.source.repository.path);
  expect(readable.stderr).not.toContain("--repository");

  server.allow(key, site.source.repository.path);
  const passed = await gantry("projects", "test-repository", "--json");
  expect(passed.code).toBe(0);
  expect(RepositoryTest.parse(jsonOf(passed.stdout))).toMatchObject({ ok: true, branch: "main" });
  const missing = await gantry("projects", "test-repository", "--branch", "nowhere");
  expect(missing).toMatchObject({ code: 1, stdout: expect.stringContaining("branch_not_found") });
  expect(missing.stdout).toContain("result\tthe server can read the repository, but not this branch\n");
  expect(missing.stdout).toMatch(
    /\tIts default branch is `main`\. .*: gantry projects set \S+ --branch main$/m,
  );
  const moved = await gantry("servers", "add", "other", "192.0.2.7", "--json");
  const { id } = ServerCreated.parse(jsonOf(moved.stdout));
  const set = await gantry("projects", "set", "--server", id);
  expect(set.stderr).toContain("That server has another deploy key: add it to the repository first.");
});
