import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Release } from "#agent/workspace/releases.ts";

import { freePort } from "../support/free-port.ts";
import type { App } from "./support/apps/app.ts";
import { go } from "./support/apps/go.ts";
import { laravel } from "./support/apps/laravel.ts";
import { php } from "./support/apps/php.ts";
import { django, flask, python } from "./support/apps/python.ts";
import { rails } from "./support/apps/rails.ts";
import { jekyll, ruby } from "./support/apps/ruby.ts";
import { AppServer } from "./support/app-server.ts";

let server: AppServer;
beforeAll(async () => {
  server = await AppServer.start({ packages: true, ingress: true });
});
afterAll(() => server.close());

/** Runs the app as a unit: with its own command, or as the preset starts its process `web`. @returns its port */
async function serve(projectId: string, { framework, serve: own, variables = {} }: App): Promise<number> {
  const port = await freePort();
  const folder = `/var/lib/gantry/projects/${projectId}`;
  const record = Release.parse(JSON.parse(await server.machine.tell(`cat ${folder}/releases/1.json`)));
  const command = own ?? record.processes?.["web"]?.command ?? "exit 1";
  const properties = [
    `User=${projectId}`,
    "TemporaryFileSystem=/var/lib/gantry:mode=0755",
    `BindPaths=${folder}`,
    `WorkingDirectory=${folder}/current`,
    `Environment=PORT=${port}`,
    ...Object.entries(variables).map(([name, value]) => `Environment=${name}=${value}`),
  ];
  await server.machine.write(`/srv/${framework}.sh`, command);
  await server.machine.tell(
    `systemd-run --quiet --unit=app-${framework} ${properties.map((each) => `--property=${each}`).join(" ")} sh -e /srv/${framework}.sh`,
  );
  return port;
}

/** What the app on the port answers, or its log if it does not answer. */
async function ask(port: number, path: string, { framework }: App): Promise<string> {
  const page = `curl -sS --fail -m 5 http://127.0.0.1:${port}${path}`;
  return (await server.machine.run(`${page} || journalctl --quiet --unit=app-${framework} | tail -40`))
    .output;
}

describe("a repository that is deployed by name and address alone", () => {
  it.each([laravel, php, rails, ruby, jekyll, django, flask, python, go])(
    "is installed, built and works: $framework",
    async (app) => {
      const { framework, files, pages } = app;
      // No preset starts these, which have no server among their packages: they are started below.
      const settings = [django, flask, python].includes(app) ? { activate_command: "true" } : {};
      const project = await server.createProject(framework, files, settings);
      await server.expectLive(project.id);
      expect((await server.api.getProject(project.id)).framework).toBe(framework);
      const port = await serve(project.id, app);
      for (const [path, text] of Object.entries(pages))
        await expect.poll(() => ask(port, path, app)).toContain(text);
    },
  );

  it("migrates its database with the release command that its framework suggests", async () => {
    const settings = django.files["shop/settings.py"] ?? "";
    const project = await server.createProject("migrated", {
      ...django.files,
      "shop/settings.py": `${settings}INSTALLED_APPS += ["django.contrib.contenttypes"]\nDATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "data" / "shop.db"}}\n`,
      "data/.keep": "",
    });
    await server.api.call("PATCH", `/v1/projects/${project.id}`, {
      framework: "django",
      shared_paths: ["data"],
    });
    const { suggested_release_command } = await server.api.getProject(project.id);
    await server.api.call("PATCH", `/v1/projects/${project.id}`, {
      release_command: suggested_release_command,
    });
    await server.expectLive(project.id);
    const query = "select count(*) > 0 from django_migrations";
    const database = `/var/lib/gantry/projects/${project.id}/shared/data/shop.db`;
    const answer = `import sqlite3; print(sqlite3.connect("${database}").execute("${query}").fetchone())`;
    expect(await server.machine.tell(`python3 -c '${answer}'`)).toBe("(1,)");
  });

  it("gets the gems of its lock file, from the cache if it is unchanged", async () => {
    const gemfile = 'source "https://rubygems.org"\ngem "rack"\n';
    const files = { Gemfile: gemfile, "config.ru": "" };
    const project = await server.createProject("locked", files, { activate_command: "true" });
    await server.expectLive(project.id);
    const lock = await server.machine.tell(`cat /var/lib/gantry/projects/${project.id}/current/Gemfile.lock`);
    await server.commit("locked", { "Gemfile.lock": `${lock}\n` });
    await server.expectLive(project.id);
    await server.commit("locked", { "config.ru": "# changed\n" });
    const second = await server.deploy(project.id);
    const lines = (await server.api.log(second.id)).map(({ message }) => message);
    expect(lines).toContainEqual(expect.stringMatching(/^restored the dependencies of release 2/));
    expect(lines).toContainEqual(expect.stringMatching(/^Bundle complete!/));
    expect(second.status).toBe("live");
    // The lock file does not have it.
    await server.commit("locked", { Gemfile: `${gemfile}gem "rouge"\n` });
    expect((await server.deploy(project.id)).failure).toMatchObject({
      code: "install_failed",
      hint: expect.stringContaining("The lock file does not match the Gemfile."),
    });
  });
});
