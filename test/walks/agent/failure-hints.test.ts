import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { failureHint } from "#build/failure/failure-hint.ts";
import { makeFailure } from "#build/failure/make-failure.ts";
import { portHint, startHint } from "#build/failure/start-hint.ts";

import { AgentWorld } from "../../agent/support/harness.ts";
import type { TestFile } from "../../agent/support/repository.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "" });
});
afterEach(() => world.close());

async function hintOf(files: Record<string, TestFile>, settings: Partial<RunOrder> = {}): Promise<string> {
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

  it("when a package is missing for Node, because Yarn installs by Plug'n'Play", async () => {
    const files = { "build.js": "require('vite')", "package.json": "{}", ".pnp.cjs": "" };
    expect(await hintOf(files, { build_command: "node build.js" })).toMatch(
      /^The packages are installed by Plug'n'Play, .* Write `yarn node` instead of `node`/,
    );
  });

  it("when a package of the repository is not built, with the package and what to write", async () => {
    const ui = { name: "@acme/ui", main: "dist/index.js" };
    const files = {
      "apps/web/build.cjs": "require('@acme/ui')",
      "apps/web/build.mjs": "import '@acme/ui'",
      "apps/web/package.json": "{}",
      "packages/ui/package.json": JSON.stringify({ ...ui, scripts: { build: "tsc" } }),
      // As package managers and monorepo tools link it.
      "tools/link.sh":
        "mkdir -p ../../node_modules/@acme; ln -sfn ../../packages/ui ../../node_modules/@acme/ui",
    };
    const hint =
      "The package @acme/ui is a part of this repository, in packages/ui, and was not built. Set build_command to build it first, such as `npm run build --prefix ../../packages/ui && npm run build`, or to what runs the whole build, such as `npx turbo run build` or `npx nx build`.";
    const build = (line: string) => ({
      root_directory: "apps/web",
      build_command: `sh ../../tools/link.sh; ${line}`,
    });
    expect(await hintOf(files, build("node build.cjs"))).toBe(hint);
    expect(await hintOf({}, build("node build.mjs"))).toBe(hint);
    const vite = `echo 'Failed to resolve entry for package "@acme/ui". The package may have' >&2; exit 1`;
    expect(await hintOf({}, build(vite))).toBe(hint);
    const without = { "packages/ui/package.json": JSON.stringify(ui) };
    expect(await hintOf(without, build("node build.cjs"))).toMatch(/It has no script build: add one, or set/);
  });

  it("when a name differs in upper and lower case", async () => {
    const files = {
      "build.mjs": "import './components/Header.js'",
      "build.cjs": "require('/srv/releases/1/components/Header')",
      "components/header.js": "",
    };
    const hint =
      /^The repository has components\/header\.js, and the import says Header(?:\.js)?: Linux tells upper and lower case apart/;
    expect(await hintOf(files, { build_command: "node build.mjs" })).toMatch(hint);
    expect(await hintOf({}, { build_command: "node build.cjs" })).toMatch(hint);
  });

  it("when the packages of a folder are not installed", async () => {
    const files = { "server/package.json": '{"dependencies":{"ms":"2"}}', "server/a.cjs": "require('ms')" };
    expect(await hintOf(files, { build_command: "cd server && node a.cjs" })).toMatch(
      /^The package ms is in server\/package\.json, whose packages are not installed\. Set root_directory to the folder server, or install_command to `npm install && npm install --prefix server`/,
    );
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
      "The folders after the build are `out`, `src`. Set output_directory to the folder to publish.",
    );
  });

  it("when a script has the line ends of Windows, or is not executable", async () => {
    const files = {
      "node.js": { script: "#!/usr/bin/env node\r\nconsole.log(1)\r\n" },
      "bash.sh": { script: "#!/bin/bash\r\necho 1\r\n" },
      "plain.sh": "set -e\r\nmkdir -p out\r\ncd out\r\n",
      "build.sh": "#!/bin/sh\nmkdir out\n",
      "folder.sh": "mkdir dist\r\n",
    };
    for (const build_command of ["./node.js", "./bash.sh", "bash -c ./bash.sh", "sh plain.sh"])
      expect(await hintOf(files, { build_command }), build_command).toMatch(/\* text=auto eol=lf/);
    expect(await hintOf({}, { build_command: "sh folder.sh", output_directory: "dist" })).toMatch(
      /^The build created `dist\\r`, with a carriage return at the end\. A script has the line ends of Windows/,
    );
    for (const build_command of [
      "./build.sh",
      "bash -c ./build.sh",
      "node -e \"child_process.execFileSync('./build.sh')\"",
    ])
      expect(await hintOf({}, { build_command }), build_command).toMatch(
        /^The file \.?\/?build\.sh is not executable\. Run `git update-index --chmod=\+x build\.sh`/,
      );
  });

  it("with control characters shown, as the message", async () => {
    world.repository.commit({ "index.html": "" });
    await world.startAgent();
    const build_command = `mkdir "$(printf 'a\\033[1mb')"`;
    const { result } = await world.deploy({ build_command, output_directory: "dist" });
    expect(result).toMatchObject({ failure: { hint: expect.stringContaining("`a\\u001b[1mb`") } });
    expect(makeFailure("build_failed", "build", "out\r is no folder").message).toBe("out\\r is no folder");
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
    ["/usr/bin/env: ‘node\\r’: No such file or directory", "line ends of Windows"],
    ["env: node\\r: No such file or directory", "line ends of Windows"],
    ["bash: ./build.sh: /bin/bash^M: bad interpreter: No such file or directory", "line ends of Windows"],
    ["a.sh: line 2: syntax error near unexpected token `$'do\\r''", "line ends of Windows"],
    ["deploy.sh: line 3: $'\\r': command not found", "line ends of Windows"],
    ["/bin/sh: 1: ./docker/deploy.sh: Permission denied", "git update-index --chmod=+x docker/deploy.sh"],
    ["/root/a.sh: line 58: ./build.sh: Permission denied", "git update-index --chmod=+x build.sh"],
    ["sh: 1: react-scripts: Permission denied", "git rm -r --cached node_modules"],
    ["Error: spawn ./bin/web EACCES", "git update-index --chmod=+x bin/web"],
    [
      "Error: Cannot find module @rollup/rollup-linux-x64-gnu. npm has a bug related to optional dependencies",
      "The package @rollup/rollup-linux-x64-gnu was not installed for this system",
    ],
    [
      "Error: Cannot find module '../lightningcss.linux-x64-gnu.node'",
      "lightningcss.linux-x64-gnu.node was not",
    ],
    [
      "Error: Cannot find module '@tailwindcss/oxide-linux-x64-gnu'",
      "@tailwindcss/oxide-linux-x64-gnu was not",
    ],
    [
      "Error: Cannot find module '@rolldown/binding-linux-arm64-musl'",
      "@rolldown/binding-linux-arm64-musl was",
    ],
    ['Error: Could not load the "sharp" module using the linux-x64 runtime', "The package sharp was not"],
    [
      'Error: The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.',
      "@esbuild/linux-x64",
    ],
    [
      "You installed esbuild for another platform than the one you're currently using.",
      "package esbuild was not",
    ],
    ["⨯ Failed to load SWC binary for linux/x64, see more info here", "@next/swc was not"],
    ["Error: No prebuild or local build of @parcel/watcher found.", "@parcel/watcher was not"],
    [
      "Error: Cannot find native binding. npm has a bug related to optional dependencies",
      "A package was not",
    ],
    ["Treating warnings as errors because process.env.CI = true.", "`CI=false npm run build`"],
    ["Error: error:0308010C:digital envelope routines::unsupported", "`--openssl-legacy-provider`"],
    ["npm error code ERESOLVE", "legacy-peer-deps=true"],
    ['Error: Cannot find matching keyid: {"signatures":[', "Remove corepack from the command"],
    [
      "Usage Error: This project is configured to use pnpm because /srv/package.json has",
      "names pnpm as its",
    ],
    ["npm error code E401", "NPM_TOKEN"],
    ["npm error 404  '@acme/ui@^1.0.0' is not in this registry.", "The registry has no package @acme/ui"],
    ["git@github.com: Permission denied (publickey).", "private git repository"],
    ["gyp ERR! find Python Python is not set from command line", "apt-get install python3 build-essential"],
    ["Error: pg_config executable not found.", "apt-get install libpq-dev"],
    ['You are using Node.js 18.17.0. For Next.js, Node.js version ">=18.18.0" is required.', ".nvmrc"],
    ["You are using Node.js 18.0.0. Vite requires Node.js version 20.19+ or 22.12+.", ".nvmrc"],
    [
      'error vite@7.0.0: The engine "node" is incompatible with this module. Expected version ">=20". Got "18.1.0"',
      "A package needs Node >=20, and the build has 18.1.0.",
    ],
    ['npm error Missing script: "build"', "no script build"],
    ["npm error enoent Could not read package.json: Error: ENOENT", "set root_directory"],
    ["sh: 1: husky: not found", "husky || true"],
    [
      `Internal Error: The "yarn-path" option has been set (in /a/.yarnrc.yml), but the specified location doesn't exist (/a).`,
      "Commit the folder .yarn/releases",
    ],
    ["**ERROR** Failed to apply patch for package left-pad at path", "`npx patch-package left-pad`"],
    [
      "error: Multiple top-level packages discovered in a flat-layout: ['static', 'templates'].",
      "`packages = []`",
    ],
    ['The command wasn\'t found, is the "mermaid" preprocessor installed?', "`cargo install mdbook-mermaid`"],
    [
      'Error: The "mermaid" preprocessor exited unsuccessfully with exit status: 1 status',
      "preprocessor mermaid",
    ],
    ["error: Environment variable not found: DATABASE_URL.", "Set the variable DATABASE_URL"],
    [
      "Module not found: Error: Can't resolve './components/Header' in '/srv/src'",
      "exactly ./components/Header",
    ],
    ["Module not found: Can't resolve '@/components/ui/button'", "exactly @/components/ui/button"],
    ['Could not resolve "./Button" from "src/App.jsx"', "exactly ./Button"],
    ["src/App.tsx(1,20): error TS2307: Cannot find module './Button' or its", "exactly ./Button"],
    [
      "error TS1261: Already included file name '/a/B.ts' differs from file name '/a/b.ts' only in casing.",
      "git mv",
    ],
    ["Module not found: Can't resolve 'axios'", "The package axios is not installed"],
    ['[vite]: Rollup failed to resolve import "@acme/ui/button" from "/srv/a.ts"', "The package @acme/ui is"],
    [
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'hono' imported from /srv/a.js",
      "The package hono is",
    ],
    ["Error: Cannot find module '/srv/g/releases/3/dist/main.js'", "no file dist/main.js in the release"],
    [
      "Error: Your application tried to access express, but it isn't declared in your dependencies; this",
      "Plug'n'Play allows a package only what its package.json names. Add express to",
    ],
    ["ENOSPC: System limit for number of file watchers reached, watch '/srv'", "must not watch"],
    ["⨯ Next.js build worker exited with code: null and signal: SIGKILL", "too much memory"],
    ["ModuleNotFoundError: No module named 'distutils'", "Python 3.12"],
    ["ModuleNotFoundError: No module named 'flask_cors'", "the module flask_cors"],
    ["error: externally-managed-environment", "python3 -m venv"],
    ["ERROR: No matching distribution found for pywin32==306", "The package pywin32 does not exist"],
    [
      "ERROR: Could not install packages due to an OSError: [Errno 2] No such file or directory: '/croot/x'",
      "pip list --format=freeze",
    ],
    [
      "- Root composer.json requires php ^8.3 but your php version (8.2.7) does not satisfy",
      "needs PHP ^8.3",
    ],
    ["BOM detected, make sure your file does not include a Unicode Byte-Order-Mark", "byte order mark"],
    ["go: go.mod requires go >= 1.24 (running go 1.22.1; GOTOOLCHAIN=local)", "needs Go 1.24"],
    ["ExecJS::RuntimeUnavailable: Could not find a JavaScript runtime.", "The assets need Node"],
    ['Error: module "ananke" not found in "/srv/themes/ananke"', "git submodule add ADDRESS themes/ananke"],
    ["fatal: not a git repository (or any of the parent directories): .git", "GANTRY_COMMIT"],
    ["sh: 1: node_modules/.bin/vite: Permission denied", "git rm -r --cached node_modules"],
    ["sh: 1: ./build.sh: not found", "If it was saved on Windows"],
    ["bundler: command not found: bootsnap", "No gem of the Gemfile has the program `bootsnap`"],
  ])("has a hint: %s", (line, part) => {
    expect(failureHint(`some\n${line}\nmore\n`)).toContain(part);
  });
});

describe("a long output", () => {
  it.each(["a", "/", "a: ", "'", "linux-", "\\r", "Cannot find module 'a/", "@a/"])(
    "is searched in linear time: %j",
    (part) => {
      expect(() => failureHint(part.repeat(100_000 / part.length))).not.toThrow();
    },
  );
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
      /^The file bin\/start\.sh does not exist, or/,
    );
    expect(startHint("sh: 1: bin/start.sh: Permission denied")).toContain("--chmod=+x bin/start.sh");
  });

  it.each([
    ["sh: 1: vendor/bin/heroku-php-apache2: not found", "Write `web: gantry-php public` into the Procfile"],
    ["bash: line 1: bin/start-nginx: No such file or directory", "A buildpack of Heroku adds this program"],
    [
      "ENOENT: no such file or directory, open '/etc/letsencrypt/live/x/privkey.pem'",
      "The ingress has the certificate",
    ],
    [
      "FileNotFoundError: [Errno 2] No such file or directory: 'certs/server.key'",
      "The ingress has the certificate",
    ],
    ["Error: listen EACCES: permission denied 0.0.0.0:80", "belongs to the ingress"],
  ])("has a hint for what another server had: %s", (line, part) => {
    expect(startHint(line)).toContain(part);
  });

  it("has a hint for a bot if nothing listens", () => {
    expect(portHint("logged in", 3000)).toContain("`worker: COMMAND`");
  });

  it("has none if a variable is only mentioned", () => {
    expect(startHint("DATABASE_URL is set\nLOG_LEVEL is debug\n")).toBeNull();
  });
});
