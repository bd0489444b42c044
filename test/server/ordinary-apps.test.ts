import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createCli } from "../cli/support/command.ts";
import { AppServer } from "./support/app-server.ts";
import { go } from "./support/apps/go.ts";
import { laravel } from "./support/apps/laravel.ts";
import { installNpm } from "./support/install-npm.ts";

const run = promisify(execFile);
/** Long enough for Next's build on a busy machine. */
const DEPLOYMENT_MS = 300_000;

const cli = createCli();
let folder: string;
let server: AppServer;
beforeAll(async () => {
  [folder, server] = await Promise.all([
    mkdtemp(join(tmpdir(), "gantry-generated-")),
    AppServer.start({ packages: true, ingress: true }),
  ]);
  await installNpm(server.machine);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Puts files into the repository of an app, which is not yet committed. */
type Generator = (repository: string) => Promise<void>;

/** A generator of npm's registry, with its options. */
const npx =
  (name: string, ...options: readonly string[]): Generator =>
  async (repository) => {
    const made = join(folder, "app");
    await run("npx", ["--yes", name, made, ...options], { cwd: folder });
    await cp(made, `${server.machine.root}${repository}`, { recursive: true });
    await rm(made, { recursive: true });
  };

const startproject: Generator = async (repository) => {
  await server.machine.tell(
    `python3 -m venv /opt/django && /opt/django/bin/pip install --quiet Django && mkdir -p ${repository} && /opt/django/bin/django-admin startproject shop ${repository}`,
  );
};

/** Without what the gems of this test lack, such as webpacker. */
const railsNew: Generator = async (repository) => {
  await server.machine.tell(
    `export GEM_HOME=/opt/rails PATH=/opt/rails/bin:$PATH && gem install rails && rails new ${repository} --minimal --skip-bundle --skip-git`,
  );
};

const nothing: Generator = () => Promise.resolve();

type Ordinary = {
  readonly framework: string;
  readonly generate: Generator;
  /** What the generator does not make. */
  readonly files?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly text: string;
};

const ordinary: readonly Ordinary[] = [
  {
    framework: "express",
    generate: npx("express-generator@4.16.1", "--no-view", "--git"),
    text: "Welcome to Express",
  },
  {
    framework: "next",
    generate: npx(
      "create-next-app@16.4.3",
      ...["--yes", "--js", "--no-tailwind", "--no-eslint", "--app", "--use-npm", "--skip-install"],
      ...["--disable-git", "--no-agents-md"],
    ),
    // The generator's needs fonts that the build would download from elsewhere.
    files: {
      "app/layout.js":
        'import "./globals.css";\n\nexport const metadata = { title: "Create Next App" };\n\nexport default function RootLayout({ children }) {\n  return <html lang="en"><body>{children}</body></html>;\n}\n',
    },
    variables: { NEXT_TELEMETRY_DISABLED: "1" },
    text: "Create Next App",
  },
  {
    framework: "django",
    generate: startproject,
    files: { "requirements.txt": "Django\ngunicorn\n" },
    text: "The install worked successfully",
  },
  {
    framework: "rails",
    generate: railsNew,
    files: {
      "config/routes.rb": 'Rails.application.routes.draw { root "pages#home" }\n',
      "app/controllers/pages_controller.rb": `class PagesController < ApplicationController
  def home = render(plain: "Rails #{Rails.env} #{helpers.stylesheet_path("application")}")
end
`,
    },
    variables: { SECRET_KEY_BASE: "5".repeat(128) },
    text: "Rails production /assets/application-",
  },
  { generate: nothing, ...go, text: "Go" },
  { generate: nothing, ...laravel, text: "Laravel production" },
];

describe("gantry deploy alone runs an app, and a client that verifies its certificate gets its page:", () => {
  it.each(ordinary)(
    "$framework",
    async ({ framework, generate, files = {}, variables = {}, text }) => {
      // Other files of tests use the same control plane, and projects with the frameworks' names.
      const name = `ordinary-${framework}`;
      await generate(`/srv/repositories/${name}`);
      const domain = `${name}.localhost`;
      const project = await server.createProject(name, files, { domain, health_check: { path: "/" } });
      const set = Object.entries(variables).map(([variable, value]) => ({ name: variable, value }));
      await server.api.call("PATCH", `/v1/projects/${project.id}/variables`, { set });
      const { url, token } = server.gantry;
      const deployed = await cli.run(["deploy", "--project", name, "--follow"], {
        env: { GANTRY_URL: url, GANTRY_TOKEN: token },
      });
      expect(deployed, deployed.stdout).toMatchObject({ code: 0 });
      expect((await server.api.getProject(project.id)).framework).toBe(framework);
      await expect.poll(() => server.ask(domain)).toContain(text);
    },
    DEPLOYMENT_MS,
  );
});
