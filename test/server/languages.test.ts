import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";
import type { ServerCreated } from "#contract/endpoints/servers/schemas.ts";

import { type Gantry, useGantry } from "../openapi/support/gantry.ts";
import { registerServer } from "../support/enrolments.ts";
import { freePort } from "../support/free-port.ts";
import { type Api, createApi } from "../support/journey-api.ts";
import type { App } from "./support/apps/app.ts";
import { go } from "./support/apps/go.ts";
import { laravel } from "./support/apps/laravel.ts";
import { php } from "./support/apps/php.ts";
import { django, flask } from "./support/apps/python.ts";
import { rails } from "./support/apps/rails.ts";
import { jekyll, ruby } from "./support/apps/ruby.ts";
import { DebianMachine } from "./support/debian-machine.ts";
import { servePackages } from "./support/package-registry.ts";

let gantry: Gantry;
let api: Api;
let machine: DebianMachine;
let server: ServerCreated;
beforeAll(async () => {
  [gantry, machine] = await Promise.all([useGantry(), DebianMachine.boot()]);
  api = createApi(gantry.url, gantry.token);
  server = await registerServer(gantry);
  await servePackages(machine, await freePort());
  expect(await machine.run(server.enrollment.command)).toMatchObject({ code: 0 });
});
afterAll(() => machine.close());

const repositoryOf = (name: string) => `/srv/repositories/${name}`;

async function commit(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  const repository = repositoryOf(name);
  for (const [path, text] of Object.entries(files)) await machine.write(`${repository}/${path}`, text);
  await machine.tell(
    `chown -R root ${repository} && cd ${repository} && chmod -R +x bin artisan 2>/dev/null; git init --quiet --initial-branch=main . && git add --all && git -c user.name=Ada -c user.email=ada@example.com commit --quiet -m change && chown -R gantry ${repository}`,
  );
}

async function deploy(projectId: string): Promise<Deployment> {
  const { id } = await api.start(projectId);
  return await api.ended(id, 110_000);
}

/** The deployment, and its log if it is not live: the reason of a failure is there. */
async function expectLive(projectId: string): Promise<void> {
  const { id, status } = await deploy(projectId);
  const lines = status === "live" ? [] : await api.log(id);
  expect(lines.map(({ message }) => message)).toEqual([]);
  expect(status).toBe("live");
}

/** Runs the app as docs/servers.md describes it. @returns its port */
async function serve(projectId: string, { framework, serve: command }: App): Promise<number> {
  const port = await freePort();
  const folder = `/var/lib/gantry/projects/${projectId}`;
  const properties = [
    `User=${projectId}`,
    "TemporaryFileSystem=/var/lib/gantry:mode=0755",
    `BindPaths=${folder}`,
    `WorkingDirectory=${folder}/current`,
    `Environment=PORT=${port}`,
  ];
  await machine.write(`/srv/${framework}.sh`, command);
  await machine.tell(
    `systemd-run --quiet --unit=app-${framework} ${properties.map((each) => `--property=${each}`).join(" ")} sh -e /srv/${framework}.sh`,
  );
  return port;
}

/** What the app on the port answers, or its log if it does not answer. */
async function ask(port: number, path: string, { framework }: App): Promise<string> {
  const page = `curl -sS --fail -m 5 http://127.0.0.1:${port}${path}`;
  return (await machine.run(`${page} || journalctl --quiet --unit=app-${framework} | tail -40`)).output;
}

describe("a repository that is deployed by name and address alone", () => {
  it.each([laravel, php, rails, ruby, jekyll, django, flask, go])(
    "is installed, built and works: $framework",
    async (app) => {
      const { framework, files, pages } = app;
      await commit(framework, files);
      const project = await api.createProject({
        name: framework,
        server_id: server.id,
        repository: repositoryOf(framework),
      });
      await expectLive(project.id);
      expect((await api.getProject(project.id)).framework).toBe(framework);
      const port = await serve(project.id, app);
      for (const [path, text] of Object.entries(pages))
        await expect.poll(() => ask(port, path, app), { timeout: 20_000 }).toContain(text);
    },
  );

  it("gets the gems of its lock file", async () => {
    const gemfile = 'source "https://rubygems.org"\ngem "rack"\n';
    await commit("locked", { Gemfile: gemfile, "config.ru": "" });
    const project = await api.createProject({
      name: "locked",
      server_id: server.id,
      repository: repositoryOf("locked"),
    });
    await expectLive(project.id);
    const lock = await machine.tell(`cat /var/lib/gantry/projects/${project.id}/current/Gemfile.lock`);
    await commit("locked", { "Gemfile.lock": `${lock}\n` });
    await expectLive(project.id);
    // The lock file does not have it.
    await commit("locked", { Gemfile: `${gemfile}gem "rouge"\n` });
    expect((await deploy(project.id)).failure).toMatchObject({
      code: "install_failed",
      hint: expect.stringContaining("The lock file does not match the Gemfile."),
    });
  });
});
