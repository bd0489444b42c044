import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { defaultTimeouts, runStages } from "#contract/stages.ts";

import { eventsOf, messagesOf, AgentWorld } from "../../agent/support/harness.ts";
import { sealVariables } from "../../agent/support/sealed-variables.ts";

let world: AgentWorld;
const path = process.env["PATH"];

beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(async () => {
  process.env["PATH"] = path;
  await world.close();
});

/** Deploys without build settings, except for `given`. */
async function deploy(given: Partial<RunOrder> = {}) {
  const {
    install_command: _install,
    build_command: _build,
    output_directory: _output,
    ...rest
  } = world.order();
  const run = world.control.dispatch({ ...rest, ...given });
  const result = await world.control.result(run);
  return { run, result, preset: eventsOf(run, "framework")[0]?.preset };
}

/** A program that is first in the PATH of this test's commands. It records its arguments. */
function installTool(name: string, script: string): void {
  const folder = join(world.folder, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\necho "$0 $*" | sed "s|.*/||"\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${path}`;
}

/** A site built by npm itself, with a `vite` that needs no network to be installed. */
const viteSite = {
  "package.json": JSON.stringify({
    name: "site",
    version: "1.0.0",
    scripts: { build: "vite build" },
    devDependencies: { vite: "file:vendor/vite" },
  }),
  "package-lock.json": JSON.stringify({
    name: "site",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "site", version: "1.0.0", devDependencies: { vite: "file:vendor/vite" } },
      "node_modules/vite": { resolved: "vendor/vite", link: true },
      "vendor/vite": { version: "1.0.0", dev: true, bin: { vite: "vite.js" } },
    },
  }),
  "vendor/vite/package.json": JSON.stringify({ name: "vite", version: "1.0.0", bin: { vite: "vite.js" } }),
  "vendor/vite/vite.js": {
    script: `#!/usr/bin/env node
const fs = require("node:fs");
fs.mkdirSync("dist", { recursive: true });
fs.copyFileSync("index.html", "dist/index.html");
console.log("vite", process.argv.slice(2).join(" "));
`,
  },
  "index.html": "hello",
};

describe("a repository without a framework setting", () => {
  it("is not published if a file that decides how it is built cannot be read", async () => {
    world.repository.commit({
      "package.json": '{\n"main": "index.js",\n}',
      "index.js": "",
      "index.html": "",
    });
    await world.startAgent();
    const { result } = await deploy();
    expect(result).toMatchObject({
      outcome: "failed",
      failure: {
        code: "build_failed",
        message: "package.json is not JSON: there is a comma after the last item, in line 2, column 19",
        hint: "Correct line 2 of package.json.",
      },
    });
  });

  it("is served unchanged when it is a plain site, without a build", async () => {
    world.repository.commit({ "index.html": "one", "style.css": "" });
    await world.startAgent();
    const { run, result, preset } = await deploy();
    expect(result.outcome).toBe("live");
    expect(preset).toEqual({
      framework: "static",
      install_command: null,
      build_command: null,
      output_directory: ".",
      trailing_slash: "auto",
      fallback: null,
      app_type: "static",
      start_command: null,
      reasons: ["no file names a framework"],
    });
    expect(messagesOf(run, "stdout")).toEqual([]);
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ output_directory: "." });
  });

  it("is served from its folder public, if its page is there", async () => {
    world.repository.commit({ "README.md": "", "public/index.html": '<script src="/app.js">' });
    await world.startAgent();
    const { run, preset } = await deploy();
    expect(preset).toMatchObject({ framework: "static", output_directory: "public" });
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ output_directory: "public" });
    expect(messagesOf(run, "system")).toContainEqual(
      expect.stringMatching(/^warning: index\.html loads \/app\.js, which the site does not have/),
    );
  });

  it("is served if its page is a link to another one", async () => {
    world.repository.commit({ "home.html": "one", "index.html": { link: "home.html" } });
    await world.startAgent();
    expect((await deploy()).result.outcome).toBe("live");
  });

  it("is installed and built by npm when it uses vite, and its dist is served", async () => {
    world.repository.commit(viteSite);
    await world.startAgent();
    const { run, result, preset } = await deploy();
    expect(messagesOf(run, "stdout")).toContain("vite build");
    expect(result.outcome).toBe("live");
    expect(preset).toEqual({
      framework: "vite",
      install_command: "npm ci",
      build_command: "npm run build",
      output_directory: "dist",
      trailing_slash: "auto",
      fallback: "index.html",
      app_type: "static",
      start_command: null,
      reasons: ["package.json depends on vite"],
    });
    expect(eventsOf(run, "stage").map(({ stage }) => stage)).toEqual(
      runStages.filter((stage) => stage !== "release" && stage !== "start"),
    );
    expect(world.read("current/dist/index.html")).toBe("hello");
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({
      output_directory: "dist",
      site_rules: { trailing_slash: "auto", fallback: "index.html" },
    });
    expect(messagesOf(run, "system")).toContain("paths without a file get index.html with the status 200");
    expect(messagesOf(run, "system")).toContain(
      "framework vite, detected because package.json depends on vite: installed by npm ci, built by npm run build, served from dist",
    );
  });

  it("has the rules that the project and gantry.json set, and fails without a fallback that they name", async () => {
    world.repository.commit({
      ...viteSite,
      "gantry.json": `{ "trailing_slash": "never", "fallback": null }`,
    });
    await world.startAgent();
    await deploy();
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({
      site_rules: { trailing_slash: "never", fallback: null },
    });
    const { result } = await deploy({ fallback: "app.html" });
    expect(result).toMatchObject({
      outcome: "failed",
      failure: { message: "the fallback `app.html` is not in the output directory `dist`" },
    });
  });

  it("has the rules of its files _redirects and _headers, and names each line that is not used", async () => {
    world.repository.commit({
      "index.html": "one",
      _redirects: "/old /new 302\n/proxy https://api.example.org 200\n",
      _headers: "/*\n  X-Frame-Options: DENY\n  Content-Length: 5\n",
    });
    await world.startAgent();
    const { run, result } = await deploy();
    expect(result.outcome).toBe("live");
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({
      site_rules: {
        redirects: [{ from: "/old", to: "/new", status: 302 }],
        headers: [{ from: "/*", unset: [], set: [["x-frame-options", "DENY"]] }],
      },
    });
    expect(messagesOf(run, "system")).toEqual(
      expect.arrayContaining([
        "_redirects: 1 redirect, _headers: headers for 1 path",
        expect.stringMatching(
          /^warning: _redirects, line 2 is not used: With the status 200 the target must/,
        ),
        "warning: _headers, line 3 is not used: content-length is set by the web server alone.",
      ]),
    );
    world.repository.commit({ "index.html": "two", _redirects: "/old /newer 302\n" });
    expect((await deploy()).result.outcome).toBe("live");
    const back = await deploy({ reuse_release: 1, preapproved: true });
    expect(messagesOf(back.run, "system")).toContain("the rules of this release are back: _redirects");
  });

  it("is examined again in each deployment, because the files decide", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    expect((await deploy()).preset?.framework).toBe("static");
    installTool("hugo", "mkdir public && echo built > public/index.html");
    world.repository.commit({ "hugo.toml": "title = 'one'" });
    const { run, preset } = await deploy();
    expect(preset).toEqual({
      framework: "hugo",
      install_command: null,
      build_command: "hugo --gc --minify",
      output_directory: "public",
      trailing_slash: "auto",
      fallback: null,
      app_type: "static",
      start_command: null,
      reasons: ["hugo.toml exists"],
    });
    expect(messagesOf(run, "stdout")).toEqual(["hugo --gc --minify"]);
    expect(world.read("current/public/index.html")).toBe("built\n");
  });

  it("is examined in its root directory, and installed where its workspace is", async () => {
    installTool(
      "pnpm",
      'echo "in ${PWD##*/}"; [ "$1" = run ] && mkdir -p _site && echo x > _site/index.html; true',
    );
    world.repository.commit({
      "pnpm-lock.yaml": "lockfileVersion: '9.0'",
      "pnpm-workspace.yaml": "packages:\n  - apps/*\n",
      "package.json": JSON.stringify({ devDependencies: { gatsby: "5" } }),
      "apps/docs/package.json": JSON.stringify({
        scripts: { build: "eleventy" },
        devDependencies: { "@11ty/eleventy": "3" },
      }),
    });
    await world.startAgent();
    const { run, result, preset } = await deploy({ root_directory: "apps/docs" });
    expect(preset?.framework).toBe("eleventy");
    expect(messagesOf(run, "stdout")).toEqual([
      "pnpm install --frozen-lockfile",
      "in 1",
      "pnpm run build",
      "in docs",
    ]);
    expect(messagesOf(run, "system")).toContainEqual(
      expect.stringContaining("installed by pnpm install --frozen-lockfile in the workspace `.`, built by"),
    );
    const own = await deploy({ root_directory: "apps/docs", install_command: 'echo "own in ${PWD##*/}"' });
    expect(messagesOf(own.run, "stdout")).toContain("own in docs");
    expect(result.outcome).toBe("live");
  });

  it("is examined below its top level too, where Django has its settings", async () => {
    installTool(
      "python3",
      '[ "$1" != -m ] || { mkdir -p .venv/bin; cp "$0" .venv/bin/pip; cp "$0" .venv/bin/python3; }',
    );
    const manage = 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings.live")';
    world.repository.commit({
      "manage.py": manage,
      "requirements.txt": "Django",
      "shop/settings/live.py": "from .base import *",
      "shop/settings/base.py": 'STATIC_ROOT = "static"',
    });
    await world.startAgent();
    const { run, result } = await deploy({ release_command: "true" });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toEqual([
      "python3 -m venv .venv",
      "pip install -r requirements.txt",
      "python3 manage.py collectstatic --noinput",
    ]);
  });

  it("is installed as a package of an npm workspace, whose packages are kept for the next deployment", async () => {
    const { "index.html": page, "package.json": _manifest, "package-lock.json": _lock, ...vendor } = viteSite;
    const vite = "file:../../vendor/vite";
    const linked = (resolved: string) => ({ resolved, link: true });
    world.repository.commit({
      ...vendor,
      "package.json": JSON.stringify({ name: "all", workspaces: ["apps/*"] }),
      "package-lock.json": JSON.stringify({
        name: "all",
        lockfileVersion: 3,
        requires: true,
        packages: {
          "": { name: "all", workspaces: ["apps/*"] },
          "apps/web": { version: "1.0.0", devDependencies: { vite } },
          "node_modules/vite": linked("vendor/vite"),
          "node_modules/web": linked("apps/web"),
          "vendor/vite": { version: "1.0.0", dev: true, bin: { vite: "vite.js" } },
        },
      }),
      "apps/web/package.json": JSON.stringify({
        ...{ name: "web", version: "1.0.0", scripts: { build: "vite build" } },
        devDependencies: { vite },
      }),
      "apps/web/index.html": page,
    });
    await world.startAgent();
    const first = await deploy({ root_directory: "apps/web" });
    expect(first.result.outcome).toBe("live");
    expect(first.preset).toMatchObject({ framework: "vite", install_command: "npm ci" });
    expect(world.read("current/apps/web/dist/index.html")).toBe("hello");
    const second = await deploy({ root_directory: "apps/web" });
    expect(second.result.outcome).toBe("live");
    expect(messagesOf(second.run, "system").join("\n")).toMatch(/restored the dependencies of release 1/);
    expect(world.read("current/apps/web/dist/index.html")).toBe("hello");
  });

  it("is built after the packages of its workspace that it depends on", async () => {
    const member = (name: string, script: string, dependencies: object) => ({
      "package.json": JSON.stringify({
        ...{
          name,
          version: "1.0.0",
          main: "dist/index.js",
          scripts: { build: "node build.js" },
          dependencies,
        },
      }),
      "build.js": `const fs = require("node:fs"); fs.mkdirSync("dist"); ${script}`,
    });
    const below = (folder: string, files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
    world.repository.commit({
      "package.json": JSON.stringify({ name: "all", workspaces: ["apps/*", "packages/*"] }),
      ...below("packages/vite", { "package.json": JSON.stringify({ name: "vite", version: "1.0.0" }) }),
      ...below(
        "packages/core",
        member("@acme/core", `fs.writeFileSync("dist/index.js", "module.exports = 'built'")`, {}),
      ),
      ...below(
        "packages/ui",
        member(
          "@acme/ui",
          `fs.writeFileSync("dist/index.js", "module.exports = '" + require("@acme/core") + "'")`,
          { "@acme/core": "*" },
        ),
      ),
      ...below("packages/other", member("other", "process.exit(1)", {})),
      ...below(
        "apps/web",
        member("web", `fs.writeFileSync("dist/index.html", require("@acme/ui"))`, {
          "@acme/ui": "^1.0.0",
          vite: "*",
        }),
      ),
    });
    await world.startAgent();
    const { result, preset } = await deploy({ root_directory: "apps/web" });
    expect(result.outcome).toBe("live");
    expect(preset).toMatchObject({
      build_command:
        "npm run build --prefix ../../packages/core && npm run build --prefix ../../packages/ui && npm run build",
    });
    expect(world.read("current/apps/web/dist/index.html")).toBe("built");
  });

  it("is installed with its development dependencies, although its build is for production", async () => {
    installTool("npm", 'echo "$1 with NODE_ENV=$NODE_ENV"; mkdir -p dist');
    world.repository.commit({ ...viteSite });
    await world.startAgent();
    const variables = await sealVariables(world, { NODE_ENV: "production" });
    const { run } = await deploy({ variables });
    expect(messagesOf(run, "stdout")).toEqual(
      expect.arrayContaining(["ci with NODE_ENV=", "run with NODE_ENV=production"]),
    );
    const own = await deploy({ variables, install_command: "echo own with NODE_ENV=$NODE_ENV" });
    expect(messagesOf(own.run, "stdout")).toContain("own with NODE_ENV=production");
  });

  it("cannot lead the agent to files outside of it", async () => {
    writeFileSync(join(world.folder, "package.json"), '{"devDependencies":{"vite":"7"}}');
    mkdirSync(join(world.folder, "shop"));
    writeFileSync(join(world.folder, "shop", "settings.py"), 'STATIC_ROOT = "static"');
    world.repository.commit({ "index.html": "", "package.json": { link: "../../../../../../package.json" } });
    await world.startAgent();
    expect((await deploy()).result).toMatchObject({
      failure: { message: "package.json is a symbolic link that leads to no file of the repository" },
    });
    world.repository.git("rm", "--quiet", "package.json");
    world.repository.commit({
      "manage.py": '"DJANGO_SETTINGS_MODULE", "shop.settings"',
      shop: { link: "../../../../../../shop" },
    });
    expect((await deploy()).preset).toMatchObject({ framework: "django", build_command: null });
  });
});

describe("a repository that is no site", () => {
  const served = () => existsSync(world.path("current"));

  it("fails before it is published, with what was looked for and what to set", async () => {
    world.repository.commit({
      "package.json": '{"main":"index.js","dependencies":{"x":"1"}}',
      "index.js": "",
    });
    await world.startAgent();
    const { run, result } = await deploy();
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        stage: "build",
        message: expect.stringMatching(
          /^there is nothing to publish: .* index\.html .*package\.json has no scripts$/,
        ),
        hint: expect.stringContaining("Set output_directory"),
      },
    });
    expect(messagesOf(run, "system")).not.toContainEqual(expect.stringMatching(/^running /));
    expect(served()).toBe(false);
    const named = await deploy({ output_directory: "." });
    expect(named.result.outcome).toBe("live");
  });

  it("is pointed to the folders that have an app", async () => {
    world.repository.commit({
      "pnpm-workspace.yaml": "packages:\n  - apps/*\n",
      "package.json": '{"scripts":{"build":"turbo run build"}}',
      "apps/web/package.json": "{}",
      "apps/docs/index.html": "",
      "templates/index.html": "",
      "node_modules/x/package.json": "{}",
    });
    await world.startAgent();
    expect((await deploy()).result).toMatchObject({
      failure: { hint: "Set root_directory to the folder of the app, such as `apps/docs`, `apps/web`." },
    });
  });

  it("is not published if a framework's build leaves no page, or a page elsewhere", async () => {
    installTool("npm", "mkdir -p dist/apps/web; echo x > dist/apps/web/index.html; echo lib > dist/lib.js");
    world.repository.commit(viteSite);
    await world.startAgent();
    expect((await deploy()).result).toMatchObject({
      failure: {
        code: "build_failed",
        stage: "build",
        message:
          "the output directory `dist` is no site: it has no index.html after the build (it has `apps`, `lib.js`)",
        hint: "`dist/apps/web` has an index.html: set output_directory to it.",
      },
    });
    expect((await deploy({ output_directory: "dist" })).result.outcome).toBe("live");
  });

  it("is built by its script, and what that creates is published", async () => {
    installTool("npm", '[ "$1" != run ] || { mkdir -p generated/en; echo built > generated/index.html; }');
    world.repository.commit({
      "package.json": '{"scripts":{"build":"node make.js"}}',
      "index.html": "source",
      "docs/index.html": "docs",
    });
    await world.startAgent();
    const { run, result } = await deploy();
    expect(result.outcome).toBe("live");
    expect(eventsOf(run, "framework").map(({ preset }) => preset.output_directory)).toEqual([
      ".",
      "generated",
    ]);
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ output_directory: "generated" });
    expect(messagesOf(run, "system")).toEqual(
      expect.arrayContaining([
        expect.stringContaining("built by npm run build, served from the folder that the build creates"),
        "generated has an index.html after the build, and is published",
      ]),
    );
  });

  it("is published from where its page is, if its script creates no other one", async () => {
    installTool(
      "npm",
      '[ "$1" != run ] || { mkdir -p css node_modules/x; echo x > node_modules/x/index.html; }',
    );
    world.repository.commit({ "package.json": '{"scripts":{"build":"sass"}}', "index.html": "page" });
    await world.startAgent();
    expect((await deploy()).result.outcome).toBe("live");
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ output_directory: "." });
  });

  it("fails if its script creates no page", async () => {
    installTool("npm", "mkdir -p lib; echo x > lib/index.js");
    world.repository.commit({ "package.json": '{"scripts":{"build":"tsc"}}' });
    await world.startAgent();
    expect((await deploy()).result).toMatchObject({
      failure: {
        code: "build_failed",
        message: "the build made no site: no folder has an index.html (looked in `lib`)",
        hint: expect.stringMatching(/^Set output_directory to the folder that the build writes to/),
      },
    });
  });

  it("is not live if nothing starts it", async () => {
    world.repository.commit({ "go.mod": "module a/b" });
    await world.startAgent();
    expect((await deploy()).result).toMatchObject({
      failure: {
        code: "build_failed",
        stage: "build",
        message: expect.stringMatching(/^nothing starts this app: /),
      },
    });
  });
});

describe("a repository that runs as a server", () => {
  const app = {
    "package.json": JSON.stringify({ scripts: { start: "node app.js" } }),
    "app.js": `require("node:http").createServer((_, answer) => answer.end()).listen(process.env.PORT, process.env.HOST)`,
    "public/style.css": "body{}",
  };

  it("is not published, and has the process that its framework starts", async () => {
    installTool("npm", "");
    world.repository.commit(app);
    await world.startAgent();
    const { run, result, preset } = await deploy();
    expect(result.outcome).toBe("live");
    const command = "NODE_ENV=${NODE_ENV:-production} node app.js";
    const processes = { web: { command } };
    expect(preset).toMatchObject({ app_type: "server", start_command: command, processes });
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ published: false, processes });
    expect(messagesOf(run, "system")).toEqual(
      expect.arrayContaining([
        "framework node, detected because package.json has a script start: installed by npm install, nothing to build, runs as a server",
        `process web runs ${command} (usual for this framework)`,
      ]),
    );
    await deploy({ activate_command: "true" });
    expect(JSON.parse(world.read("releases/2.json"))).not.toHaveProperty("processes");
  });

  it("has the processes of its Procfile and its gantry.json", async () => {
    installTool("npm", "");
    world.repository.commit({
      ...app,
      "worker.js": "setInterval(() => undefined, 1000);",
      Procfile: "web: node app.js\nworker: node worker.js\n",
      "gantry.json": '{ "processes": { "worker": { "instances": 2 } } }',
    });
    await world.startAgent();
    const { run, preset } = await deploy();
    const processes = {
      web: { command: "node app.js" },
      worker: { command: "node worker.js", instances: 2 },
    };
    expect(preset).toMatchObject({ start_command: "node app.js", processes });
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ published: false, processes });
    expect(messagesOf(run, "system")).toContain("process worker runs node worker.js (Procfile)");
  });

  it("that describes its processes wrongly fails at once, with the file and the line", async () => {
    world.repository.commit({ ...app, "gantry.json": '{\n  "procces": {}\n}' });
    await world.startAgent();
    const { result } = await deploy();
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        stage: "build",
        message: "line 2 of gantry.json has the unknown key `procces`",
        hint: "Did you mean `processes`?",
      },
    });
    world.repository.commit({ ...app, Procfile: { link: "app.js" } });
    expect((await deploy()).result).toMatchObject({
      failure: { message: "Procfile is a symbolic link, which is not followed" },
    });
  });

  it("publishes the folder that the project names", async () => {
    installTool("npm", "");
    world.repository.commit(app);
    await world.startAgent();
    expect((await deploy({ output_directory: "public" })).result.outcome).toBe("live");
    expect(JSON.parse(world.read("releases/1.json"))).not.toHaveProperty("published");
  });

  it("fails at once if its files are built for another platform", async () => {
    world.repository.commit({
      "package.json": JSON.stringify({ devDependencies: { "@sveltejs/kit": "2" } }),
      "svelte.config.js": 'import adapter from "@sveltejs/adapter-vercel";',
    });
    await world.startAgent();
    const { run, result } = await deploy();
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        stage: "install",
        message: expect.stringMatching(/^@sveltejs\/adapter-vercel does not build for this server: use /),
      },
    });
    expect(messagesOf(run, "system")).not.toContainEqual(expect.stringMatching(/^running /));
  });
});

describe("a project's own setting", () => {
  it("replaces that part of the preset, and `none` means none", async () => {
    world.repository.commit({ ...viteSite, "dist/index.html": "built before" });
    await world.startAgent();
    const none = await deploy({ build_command: null });
    expect(none.result.outcome).toBe("live");
    expect(messagesOf(none.run, "stdout")).toEqual([]);
    expect(none.preset?.build_command).toBe("npm run build");
    const own = await deploy({ build_command: "mkdir own; echo own", output_directory: "own" });
    expect(own.result.outcome).toBe("live");
    expect(messagesOf(own.run, "stdout")).toEqual(["own"]);
    const raw = await deploy({ build_command: null, output_directory: "." });
    expect(raw.result.outcome).toBe("live");
  });

  it("for the install command runs before the build command, and a failure of it is its own", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const both = { install_command: "echo install > order", build_command: "echo build >> order" };
    expect((await deploy(both)).result.outcome).toBe("live");
    expect(world.read("current/order")).toBe("install\nbuild\n");
    const { run, result } = await deploy({ ...both, install_command: "echo no such package >&2; exit 3" });
    expect(result).toMatchObject({
      failure: {
        code: "install_failed",
        stage: "install",
        message: "the install command ended with exit code 3",
        evidence: { exit_code: 3, stderr_tail: "no such package\n" },
      },
    });
    expect(messagesOf(run, "system")).not.toContain(`running ${both.build_command}`);
  });

  it("for the time of the installation ends it", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const timeouts = { ...defaultTimeouts, install_seconds: 1 };
    const { result } = await deploy({ install_command: "sleep 60", timeouts });
    expect(result).toMatchObject({
      failure: {
        code: "timed_out",
        stage: "install",
        message: "the install command took longer than 1 second",
      },
    });
  });

  it("decides the framework, whatever the files look like", async () => {
    installTool("hugo", "mkdir public");
    world.repository.commit(viteSite);
    await world.startAgent();
    const { run, preset } = await deploy({ framework: "hugo", output_directory: "public" });
    expect(preset?.framework).toBe("hugo");
    expect(messagesOf(run, "stdout")).toEqual(["hugo --gc --minify"]);
    expect(messagesOf(run, "system")).toContainEqual(
      expect.stringMatching(/^framework hugo, set in the project/),
    );
  });

  it("can be a framework without a preset: nothing is built, and the log says so", async () => {
    world.repository.commit(viteSite);
    await world.startAgent();
    const { run, result, preset } = await deploy({ framework: "phoenix" });
    expect(result.outcome).toBe("live");
    expect(preset).toEqual({
      framework: "phoenix",
      install_command: null,
      build_command: null,
      output_directory: ".",
      trailing_slash: "auto",
      fallback: null,
      app_type: "static",
      start_command: null,
      reasons: [],
    });
    expect(messagesOf(run, "system")).toContain("there is no preset for the framework phoenix");
  });

  it("fails with a clear message when the build creates no output folder", async () => {
    world.repository.commit({ "package.json": '{"devDependencies":{"vite":"7"}}' });
    await world.startAgent();
    const { result } = await deploy({ build_command: "true" });
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        message: "the output directory `dist` does not exist after the build",
      },
    });
  });
});

it("reports a path that is not well-formed Unicode as the file system stores it", async () => {
  // JSON can contain half of a surrogate pair; the control plane would refuse every report that contains it.
  world.repository.commit({
    "package.json": '{"devDependencies":{"@angular/core":"21.0.0"}}',
    "angular.json": String.raw`{"projects":{"shop":{"architect":{"build":{"options":{"outputPath":"dist/\ud800"}}}}}}`,
  });
  await world.startAgent();
  const { result, preset } = await deploy({
    build_command: "mkdir -p dist/\ufffd; echo one > dist/\ufffd/index.html",
  });
  expect(result.outcome).toBe("live");
  expect(preset?.output_directory).toBe("dist/\ufffd");
  expect(world.read("current", "dist", "\ufffd", "index.html")).toBe("one\n");
});

describe("a server without a tool that a preset needs", () => {
  /** Only the programs that git and a shell need. */
  function leaveOnly(...programs: string[]): void {
    const folder = join(world.folder, "few");
    mkdirSync(folder);
    for (const program of programs) {
      const found = (path ?? "").split(delimiter).find((each) => existsSync(join(each, program)));
      if (found === undefined) throw new Error(`there is no ${program}`);
      symlinkSync(join(found, program), join(folder, program));
    }
    process.env["PATH"] = folder;
  }

  it.each([
    ["npm", "install", { "package.json": '{"dependencies":{"vite":"1"}}' }, "npm for package.json"],
    [
      "composer",
      "install",
      { "composer.json": '{"require":{"laravel/framework":"1"}}' },
      "composer for composer.json",
    ],
    ["bundle", "install", { Gemfile: 'gem "rails"' }, "bundle for Gemfile"],
    ["hugo", "build", { "hugo.toml": "" }, "hugo for hugo.toml"],
  ])(
    "fails with one sentence that names %s, the file that needs it, and how to get it",
    async (_, stage, files, what) => {
      world.repository.commit(files);
      leaveOnly("git", "sh", "node");
      await world.startAgent();
      const { result } = await deploy();
      expect(result).toEqual({
        outcome: "failed",
        failure: {
          code: "tool_missing",
          stage,
          message: `the build needs ${what}, which this server does not have`,
          hint: expect.stringMatching(/^(?:Run `.* on the server as root|Install mise on the server)/),
        },
      });
    },
  );

  it("runs the project's own command, which can install the tool", async () => {
    world.repository.commit({ "index.html": "page", "package.json": '{"dependencies":{"vite":"1"}}' });
    leaveOnly("git", "sh");
    await world.startAgent();
    const { result } = await deploy({ build_command: "npm() { :; }; npm ci", output_directory: "." });
    expect(result.outcome).toBe("live");
  });
});
