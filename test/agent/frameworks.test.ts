import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-protocol.ts";

import { eventsOf, messagesOf, World } from "./support/harness.ts";

let world: World;
const path = process.env["PATH"];

beforeEach(async () => {
  world = await World.create();
});
afterEach(async () => {
  process.env["PATH"] = path;
  await world.close();
});

/** Deploys with nothing said about how to build, but for `given`. */
async function deploy(given: Partial<RunOrder> = {}) {
  const { build_command: _build, output_directory: _output, ...rest } = world.order();
  const run = world.control.dispatch({ ...rest, ...given });
  const result = await world.control.result(run);
  return { run, result, preset: eventsOf(run, "framework")[0]?.preset };
}

/** A program that all commands of this test find first; it notes how it was called. */
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

describe("a repository without a word about its framework", () => {
  it("that is a plain site is served as it is, with nothing built", async () => {
    world.repository.commit({ "index.html": "one", "style.css": "" });
    await world.startAgent();
    const { run, result, preset } = await deploy();
    expect(result.outcome).toBe("live");
    expect(preset).toEqual({ framework: "static", build_command: null, output_directory: "." });
    expect(messagesOf(run, "stdout")).toEqual([]);
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ output_directory: "." });
  });

  it("that is built with vite is installed and built by npm, and its dist is served", async () => {
    world.repository.commit(viteSite);
    await world.startAgent();
    const { run, result, preset } = await deploy();
    expect(messagesOf(run, "stdout")).toContain("vite build");
    expect(result.outcome).toBe("live");
    expect(preset).toEqual({
      framework: "vite",
      build_command: "npm ci && npm run build",
      output_directory: "dist",
    });
    expect(world.read("current/dist/index.html")).toBe("hello");
    expect(JSON.parse(world.read("releases/1.json"))).toMatchObject({ output_directory: "dist" });
    expect(messagesOf(run, "system")).toContain(
      "framework vite, detected in the repository: built by npm ci && npm run build, served from dist",
    );
  });

  it("is looked at again for each deployment, for the files decide and not what was found before", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    expect((await deploy()).preset?.framework).toBe("static");
    installTool("hugo", "mkdir public && echo built > public/index.html");
    world.repository.commit({ "hugo.toml": "title = 'one'" });
    const { run, preset } = await deploy();
    expect(preset).toEqual({
      framework: "hugo",
      build_command: "hugo --gc --minify",
      output_directory: "public",
    });
    expect(messagesOf(run, "stdout")).toEqual(["hugo --gc --minify"]);
    expect(world.read("current/public/index.html")).toBe("built\n");
  });

  it("is looked at in its root directory, and for the workspace's lock file above it", async () => {
    installTool("pnpm", '[ "$1" = run ] && mkdir -p _site; true');
    world.repository.commit({
      "pnpm-lock.yaml": "lockfileVersion: '9.0'",
      "package.json": JSON.stringify({ devDependencies: { gatsby: "5" } }),
      "apps/docs/package.json": JSON.stringify({
        scripts: { build: "eleventy" },
        devDependencies: { "@11ty/eleventy": "3" },
      }),
    });
    await world.startAgent();
    const { run, result, preset } = await deploy({ root_directory: "apps/docs" });
    expect(preset?.framework).toBe("eleventy");
    expect(messagesOf(run, "stdout")).toEqual(["pnpm install --frozen-lockfile", "pnpm run build"]);
    expect(result.outcome).toBe("live");
  });

  it("cannot lead the agent to files outside of it", async () => {
    writeFileSync(join(world.folder, "package.json"), '{"devDependencies":{"vite":"7"}}');
    world.repository.commit({ "index.html": "", "package.json": { link: "../../../../../../package.json" } });
    await world.startAgent();
    expect((await deploy()).preset?.framework).toBe("static");
  });
});

describe("what a project says itself", () => {
  it("overrules the preset one by one, and none is none", async () => {
    world.repository.commit({ ...viteSite, "dist/index.html": "built before" });
    await world.startAgent();
    const none = await deploy({ build_command: null });
    expect(none.result.outcome).toBe("live");
    expect(messagesOf(none.run, "stdout")).toEqual([]);
    expect(none.preset?.build_command).toBe("npm ci && npm run build");
    const own = await deploy({ build_command: "mkdir own; echo own", output_directory: "own" });
    expect(own.result.outcome).toBe("live");
    expect(messagesOf(own.run, "stdout")).toEqual(["own"]);
    const raw = await deploy({ build_command: null, output_directory: "." });
    expect(raw.result.outcome).toBe("live");
  });

  it("is which framework it is, whatever the files look like", async () => {
    installTool("hugo", "mkdir public");
    world.repository.commit(viteSite);
    await world.startAgent();
    const { run, preset } = await deploy({ framework: "hugo" });
    expect(preset?.framework).toBe("hugo");
    expect(messagesOf(run, "stdout")).toEqual(["hugo --gc --minify"]);
    expect(messagesOf(run, "system")).toContainEqual(
      expect.stringMatching(/^framework hugo, set in the project/),
    );
  });

  it("can be a framework without a preset: nothing is built then, and the log says so", async () => {
    world.repository.commit(viteSite);
    await world.startAgent();
    const { run, result, preset } = await deploy({ framework: "phoenix" });
    expect(result.outcome).toBe("live");
    expect(preset).toEqual({ framework: "phoenix", build_command: null, output_directory: "." });
    expect(messagesOf(run, "system")).toContain("there is no preset for the framework phoenix");
  });

  it("fails clearly where the build leaves nothing at the place that its framework promises", async () => {
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

it("reports a path that is not well-formed Unicode as the file system has it", async () => {
  // JSON can name half of a surrogate pair; the control plane would refuse every report that holds it.
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

describe("a server without a tool that a preset builds with", () => {
  /** Only what git and a shell need. */
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
    [
      "npm",
      { "package.json": '{"dependencies":{"vite":"1"}}' },
      "Debian's package nodejs comes without it: `apt-get install npm`",
    ],
    ["composer", { "composer.json": '{"require":{"laravel/framework":"1"}}' }, "`apt-get install composer`"],
    ["bundle", { Gemfile: 'gem "rails"' }, "`apt-get install ruby-bundler`"],
    ["hugo", { "hugo.toml": "" }, "install it for the whole system"],
  ])("fails with one sentence that names %s and how to get it", async (tool, files, hint) => {
    world.repository.commit(files);
    leaveOnly("git", "sh");
    await world.startAgent();
    const { result } = await deploy();
    expect(result).toEqual({
      outcome: "failed",
      failure: {
        code: "build_failed",
        stage: "build",
        message: `the build needs ${tool}, which this server does not have: ${hint}`,
      },
    });
  });

  it("runs a command of the project's own, which may install the tool", async () => {
    world.repository.commit({ "index.html": "page", "package.json": '{"dependencies":{"vite":"1"}}' });
    leaveOnly("git", "sh");
    await world.startAgent();
    const { result } = await deploy({ build_command: "npm() { :; }; npm ci", output_directory: "." });
    expect(result.outcome).toBe("live");
  });
});
