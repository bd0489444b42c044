import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { failureHint } from "#build/failure/failure-hint.ts";
import { portHint, startHint } from "#build/failure/start-hint.ts";

import { World } from "./support/harness.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  world.repository.commit({ "index.html": "" });
});
afterEach(() => world.close());

async function hintOf(files: Record<string, string>, settings: Partial<RunOrder> = {}): Promise<string> {
  world.repository.commit(files);
  await world.startAgent();
  const { result } = await world.deploy(settings);
  if (result.outcome !== "failed") throw new Error(JSON.stringify(result));
  return result.failure.hint ?? "";
}

describe("a failed command", () => {
  it("has the failing line, on either stream and in any colour", async () => {
    await world.startAgent();
    const command =
      "echo start; printf '\\033[31mTypeError: x is not a function\\033[0m\\n'; echo bye >&2; exit 1";
    const { result } = await world.deploy({ build_command: command });
    expect(result).toMatchObject({ failure: { failing_line: "TypeError: x is not a function" } });
  });
});

describe("a failed build has a hint", () => {
  it("when package.json and the lock file differ", async () => {
    const manifest = { name: "site", version: "1.0.0" };
    const packages = { "": manifest };
    const hint = await hintOf(
      {
        // In the repository, so that npm needs no registry to notice the difference.
        "package.json": JSON.stringify({ ...manifest, dependencies: { tool: "file:vendor/tool" } }),
        "vendor/tool/package.json": JSON.stringify({ name: "tool", version: "1.0.0" }),
        "package-lock.json": JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages }),
      },
      { install_command: "npm ci" },
    );
    expect(hint).toMatch(/^The lock file does not match package\.json\. Run `npm install`/);
  });

  it("when there is no lock file for npm ci", async () => {
    const hint = await hintOf({ "package.json": "{}" }, { install_command: "npm ci" });
    expect(hint).toMatch(/^The repository has no package-lock\.json/);
  });

  it("when a program does not exist, from sh and from bash", async () => {
    expect(await hintOf({}, { build_command: "no-such-program --version" })).toMatch(
      /no program `no-such-program`/,
    );
    expect(await hintOf({}, { build_command: "bash -c other-program" })).toMatch(
      /no program `other-program`/,
    );
  });

  it("when Node uses all its memory", async () => {
    const script = "const all = []; for (;;) all.push(new Array(1000).fill(all.length));";
    const hint = await hintOf(
      { "fill.js": script },
      { build_command: "node --max-old-space-size=20 fill.js" },
    );
    expect(hint).toMatch(/^Node used all the memory/);
  });

  it("when a package is missing", async () => {
    const hint = await hintOf({ "build.js": "require('vite')" }, { build_command: "node build.js" });
    expect(hint).toMatch(/^The package vite is not installed/);
  });

  it("when a variable is missing, in Node and in Python", async () => {
    const node = "throw new Error('Missing required environment variable: DATABASE_URL')";
    expect(await hintOf({ "build.js": node }, { build_command: "node build.js" })).toMatch(
      /^Set the variable DATABASE_URL/,
    );
    const python = "import os; os.environ['SECRET_KEY']";
    expect(await hintOf({ "build.py": python }, { build_command: "python3 build.py" })).toMatch(
      /^Set the variable SECRET_KEY/,
    );
  });

  it("when a port is in use", async () => {
    const server = "const http = require('http'); const listen = () => http.createServer().listen(PORT); ";
    const port = "const PORT = 0;";
    const script = `${port}${server}const one = listen(); one.on('listening', () => http.createServer().listen(one.address().port));`;
    expect(await hintOf({ "build.js": script }, { build_command: "node build.js" })).toMatch(
      /a port that is in use/,
    );
  });

  it("when the output directory does not exist, with the folders that do", async () => {
    const hint = await hintOf(
      { "index.html": "", "src/a": "" },
      { build_command: "mkdir -p out node_modules", output_directory: "dist" },
    );
    expect(hint).toBe(
      "The folders after the build are `out`, `src`. Set output_directory to the one to publish.",
    );
  });

  it("and none when the cause is unknown", async () => {
    expect(await hintOf({}, { build_command: "echo strange >&2; exit 3" })).toBe("");
  });
});

describe("the output of a tool that is not installed here", () => {
  it.each([
    ["ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with frozen-lockfile", "Run `pnpm install`"],
    ["ERR_PNPM_NO_LOCKFILE  Cannot install with frozen-lockfile", "no pnpm-lock.yaml"],
    [
      "error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.",
      "Run `yarn install`",
    ],
    ["➤ YN0028: │ The lockfile would have been modified by this install", "Run `yarn install`"],
    ["error: lockfile had changes, but lockfile is frozen", "Run `bun install`"],
    ["Your lock file does not contain a compatible set of packages.", "Run `composer update`"],
    ["The dependencies in your gemfile changed, but the lockfile can't be updated", "Run `bundle lock`"],
    ['Your bundle only supports platforms ["arm64-darwin-23"] but', "--add-platform"],
    [
      "Your Ruby version is 3.1.2, but your Gemfile specified 3.3.0",
      "asks for Ruby 3.3.0, and the server has 3.1.2",
    ],
    ["error: The lockfile at `uv.lock` needs to be updated", "Run `uv lock`"],
    ["module.c:1:10: fatal error: Python.h: No such file or directory", "python3-dev build-essential"],
    ["ImproperlyConfigured: The SECRET_KEY setting must not be empty.", "Set the variable SECRET_KEY"],
    ["decouple.UndefinedValueError: DB_HOST not found. Declare it as envvar", "Set the variable DB_HOST"],
    ["pyproject.toml changed significantly since poetry.lock was last generated", "Run `poetry lock`"],
    ["sh: 1: ./build.sh: Permission denied", "git update-index --chmod=+x build.sh"],
    ["bash: line 1: bin/start.sh: Permission denied", "git update-index --chmod=+x bin/start.sh"],
    ["sh: 1: node_modules/.bin/vite: Permission denied", "Remove node_modules from the repository"],
    ["bin/build: line 2: $'\\r': command not found", "line ends of Windows"],
    ["/bin/sh: 1: ./build.sh: ./bin/bash^M: bad interpreter: No such file", "line ends of Windows"],
    ["/usr/bin/env: ‘bash\\r’: No such file or directory", "line ends of Windows"],
    ["sh: 1: ./build.sh: not found", "line ends of Windows"],
  ])("has a hint: %s", (line, part) => {
    expect(failureHint(`some\n${line}\nmore\n`)).toContain(part);
  });
});

describe("the output of an app that ended", () => {
  it.each([
    "DATABASE_URL is not set",
    'Error: "DATABASE_URL" is required',
    "DATABASE_URL must be set",
    "the variable `DATABASE_URL` is missing",
  ])("has a hint if it lacks a variable: %s", (line) => {
    expect(startHint(`some\n${line}\nmore\n`)).toMatch(/^Set the variable DATABASE_URL in the project/);
  });

  it("has a hint for Rails without its key", () => {
    const output = "ArgumentError: Missing `secret_key_base` for 'production' environment, set this string\n";
    expect(startHint(output)).toContain("Set the variable RAILS_MASTER_KEY");
  });

  it.each(["/bin/sh: 1: next: not found", "bash: line 1: next: command not found"])(
    "has a hint about processes, not builds, if its program is missing: %s",
    (line) => {
      expect(startHint(line)).toBe(
        "The server has no program `next`, or it is not in the PATH of processes. Write the path of a package's program, such as `node_modules/.bin/next` or `.venv/bin/next`.",
      );
    },
  );

  it("has a hint about its first line if its program is a file of the repository", () => {
    expect(startHint("sh: 1: bin/start.sh: not found")).toMatch(
      /^`bin\/start\.sh` is not in the release, or/,
    );
    expect(startHint("sh: 1: bin/start.sh: Permission denied")).toContain("--chmod=+x bin/start.sh");
  });

  it("has a hint for a bot if nothing listens", () => {
    expect(portHint("logged in", 3000)).toContain("`worker: COMMAND`");
  });

  it("has none if a variable is only mentioned", () => {
    expect(startHint("DATABASE_URL is set\nLOG_LEVEL is debug\n")).toBeNull();
  });
});
