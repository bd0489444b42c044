import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";

import { processesOfRun } from "#build/process/process-table.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { type Gantry, useGantry } from "../../openapi/support/gantry.ts";
import { eventually } from "../../support/faults/eventually.ts";
import { createRepository } from "../../support/journey-repository.ts";
import { type CallOptions, createCli, jsonOf } from "../../cli/support/command.ts";
import { railsDockerfile } from "../../project-files/dockerfile/dockerfiles.ts";
import { createServerWithKey, type ServerWithKey } from "../../cli/support/server-with-key.ts";

const cli = createCli();
const tools = join(cli.home, "tools");
const temporary = join(cli.home, "tmp");
/** A folder of programs that has only git. */
const bare = join(cli.home, "bare");
let repositories = 0;

beforeAll(() => {
  for (const folder of [tools, temporary, bare]) mkdirSync(folder);
  // The build of a Hugo site installs nothing, so a test of it is fast. This one runs the repository's own script.
  writeFileSync(join(tools, "hugo"), "#!/bin/sh\nexec sh ./build.sh\n");
  chmodSync(join(tools, "hugo"), 0o755);
  const git = (process.env["PATH"] ?? "").split(":").find((folder) => existsSync(join(folder, "git")));
  symlinkSync(join(git ?? "/usr/bin", "git"), join(bare, "git"));
});

/** A Hugo site whose build runs `script`. */
const createSite = async (script: string, files: Record<string, string> = {}) => {
  repositories += 1;
  const repository = await createRepository(join(cli.home, `site-${repositories}`));
  await repository.commit({ "hugo.toml": "", "build.sh": script, ...files });
  return repository;
};
const optionsIn = (folder: string, env: NodeJS.ProcessEnv = {}): CallOptions => ({
  folder,
  env: { PATH: `${tools}:${process.env["PATH"] ?? ""}`, TMPDIR: temporary, ...env },
});
const gantry = (folder: string, args: readonly string[], env?: NodeJS.ProcessEnv) =>
  cli.run(args, optionsIn(folder, env));
/** The number of copies that were not deleted. */
const copies = () => readdirSync(temporary).length;
const linesOf = (stdout: string): unknown[] => stdout.trim().split("\n").map(jsonOf);

describe("gantry detect", () => {
  it("shows how the last commit would be built, without a sign-in", async () => {
    const site = await createRepository(join(cli.home, "vite"));
    const manifest = { scripts: { build: "vite build" }, devDependencies: { vite: "5" } };
    const files = { "package.json": JSON.stringify(manifest), "package-lock.json": "{}" };
    const sha = await site.commit({ ".nvmrc": "999\n", ...Object.fromEntries(prefixed("apps/web", files)) });
    const { code, stdout } = await gantry(site.path, ["detect", "apps/web"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`files\tmain at ${sha.slice(0, 7)}`);
    expect(stdout).toContain("root directory\tapps/web\n");
    expect(stdout).toMatch(/^framework\tvite /m);
    expect(stdout).toContain("because\tpackage.json depends on vite\ntype\tstatic site\n");
    expect(stdout).toContain("package manager\tnpm, with a lock file\n");
    expect(stdout).toContain("tools\tNode 999 (.nvmrc)\n");
    expect(stdout).toMatch(/^other version\t\.nvmrc asks for Node 999, and this machine has \d+\./m);
    expect(stdout).toContain(
      "install command\tnpm ci\nbuild command\tnpm run build\noutput directory\tdist\n",
    );
    const json = await gantry(join(site.path, "apps", "web"), ["detect", "--json"]);
    expect(jsonOf(json.stdout)).toMatchObject({
      commit: sha,
      project: null,
      root_directory: "apps/web",
      framework: "vite",
      install_command: "npm ci",
      install_directory: "apps/web",
      reasons: ["package.json depends on vite"],
      package_manager: { name: "npm", locked: true },
      tools: [{ tool: "node", version: "999", file: ".nvmrc" }],
      missing_tools: [],
      other_versions: [expect.stringContaining("asks for Node 999")],
    });
  });

  it("explains a Dockerfile: its stages, what the build gets, what runs and on which port", async () => {
    const app = await createRepository(join(cli.home, "image"));
    const lines = [
      "ARG NODE=24",
      "FROM node:$NODE AS base",
      "FROM base AS build",
      "ARG API_URL",
      "RUN --mount=type=secret,id=NPM_TOKEN --mount=type=secret,id=npm-rc npm ci",
      "FROM base",
      "WORKDIR /app",
      "COPY --from=build /app /app",
      "USER node",
      "VOLUME files /var/lib/app",
      "EXPOSE 3000",
      'CMD ["node", "server.js"]',
    ];
    await app.commit({
      Dockerfile: lines.join("\n"),
      "gantry.json": '{"processes":{"worker":{"command":"node w.js"}}}',
    });
    const plain = await gantry(app.path, ["detect", "--no-project"]);
    // Its processes could be started without an image, too.
    expect(plain.stdout).toContain("note\tDockerfile is not used: to build and run its image");
    await app.commit({ "gantry.json": '{"dockerfile":{},"processes":{"worker":{"command":"node w.js"}}}' });
    const { code, stdout } = await gantry(app.path, ["detect"]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      [
        "framework\tdockerfile (gantry.json)",
        "type\tserver",
        "dockerfile\tDockerfile",
        "image\tstage 2, of base, build, 2",
        "based on\tnode:24",
        "build arguments\tNODE, API_URL, from plain variables with these names",
        "build secrets\tNPM_TOKEN, npm-rc, from secrets with these names that are set for builds",
        "warning\tnpm-rc is no name of a variable, so the build gets no such secret",
        "working directory\t/app",
        "user\tnode",
        "process web\tnode server.js (command of the image)",
        "container port\t3000 (EXPOSE)",
        "volume\t/app/files: its files are lost with the container, unless files is in shared_paths",
        "volume\t/var/lib/app: its files are lost with the container, because shared paths are below the working directory",
        "process worker\tnode w.js (gantry.json)",
        "",
      ].join("\n"),
    );
    const json = await gantry(app.path, ["detect", "--json"]);
    expect(jsonOf(json.stdout)).toMatchObject({
      framework: "dockerfile",
      problem: null,
      image: {
        ...{ path: "Dockerfile", context: ".", stages: ["base", "build", "2"], target: "2" },
        ...{ args: ["NODE", "API_URL"], secrets: ["NPM_TOKEN", "npm-rc"], container_port: 3000 },
        volumes: ["/app/files", "/var/lib/app"],
        command: { kind: "exec", words: ["node", "server.js"] },
      },
    });
    const built = await gantry(app.path, ["build"], { PATH: bare });
    expect(built.code).toBe(1);
    expect(built.stderr + built.stdout).toContain("this machine has neither podman nor docker");
  });

  it("explains the Dockerfile of Rails as the guide for Kamal says", async () => {
    const app = await createRepository(join(cli.home, "kamal"));
    await app.commit({ Dockerfile: railsDockerfile, "gantry.json": '{"framework":"dockerfile"}' });
    const { stdout } = await gantry(app.path, ["detect", "--no-project"]);
    const text = readFileSync(join(import.meta.dirname, "../../../docs/guides/kamal.md"), "utf8");
    const [, guided = ""] = /```text\nframework .*\n([^]*?)```/.exec(text) ?? [];
    const shown = stdout.split("\n").map((line) => line.replace("\t", " "));
    const lines = guided
      .trim()
      .split("\n")
      .map((line) => line.replace(/ {2,}/, " "));
    expect(lines).toHaveLength(5);
    expect(shown).toEqual(expect.arrayContaining(lines));
  });

  it("names the line of a Dockerfile that cannot be used, and reads it where the setting says", async () => {
    const app = await createRepository(join(cli.home, "bad-image"));
    const json = '{"dockerfile":{"path":"docker/web.Dockerfile"}}';
    await app.commit({ "gantry.json": json, Dockerfile: "FROM a", "docker/web.Dockerfile": "RUN x\n" });
    const { code, stdout } = await gantry(app.path, ["detect"]);
    expect(code).toBe(1);
    expect(stdout).toContain("line 1 of docker/web.Dockerfile has an instruction before the first FROM");
    expect(stdout).toContain("what to do\tCorrect line 1 of docker/web.Dockerfile.\n");
    symlinkSync("/etc/hostname", join(app.path, "docker", "link"));
    writeFileSync(join(app.path, "gantry.json"), '{"dockerfile":{"path":"docker/link"}}');
    const linked = await gantry(app.path, ["detect", "--here"]);
    expect(linked.stdout).toContain("docker/link is a symbolic link that leads to no file of the repository");
  });

  it("refuses a repository with only a Compose file, and names its services", async () => {
    const app = await createRepository(join(cli.home, "compose"));
    await app.commit({
      "README.md": "",
      "compose.yaml": "services: { web: { build: app }, db: { image: 'postgres:17' } }",
      "app/Dockerfile": "FROM node:24",
    });
    const { code, stdout } = await gantry(app.path, ["detect"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "type\tnone: compose.yaml defines web, db, and Gantry does not run Compose files\n",
    );
    expect(stdout).toContain(
      "what to do\tRun `gantry import compose`: it prints the gantry.json that builds web from app/Dockerfile. Gantry runs no databases (db): use one on a server, or elsewhere.\n",
    );
    const imported = await gantry(app.path, ["import", "compose", "--json"]);
    const { gantry_json: json } = z.object({ gantry_json: z.looseObject({}) }).parse(jsonOf(imported.stdout));
    await app.commit({ "gantry.json": JSON.stringify(json) });
    expect(await gantry(app.path, ["detect"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("dockerfile\tapp/Dockerfile\ncontext\tapp\n"),
    });
  });

  it("reads committed files, because only these are deployed, and with --here the files in the folder", async () => {
    const site = await createSite("");
    writeFileSync(join(site.path, "package.json"), JSON.stringify({ dependencies: { astro: "5" } }));
    const committed = await gantry(site.path, ["detect"]);
    expect(committed.stdout).toMatch(/^framework\thugo /m);
    expect(committed.stderr).toContain("1 file has changes that are not committed. Pass --here");
    const here = await gantry(site.path, ["detect", "--here"]);
    expect(here).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^framework\tastro /m) });
    expect(here.stdout).toContain("files\tas they are in the folder\n");
  });

  it("shows the processes of the repository, and where they come from", async () => {
    const app = await createRepository(join(cli.home, "shop"));
    const written = { build_command: "make", processes: { web: { instances: 2, memory_mb: 512 } } };
    const cron = [{ name: "backup", schedule: "30 2 * * *", command: "bin/backup" }];
    await app.commit({
      Gemfile: 'gem "rails"\ngem "puma"\ngem "sidekiq"\n',
      "gantry.json": JSON.stringify({ ...written, cron }),
    });
    const first = await gantry(app.path, ["detect"]);
    expect(first.stderr).toBe("");
    expect(first.stdout).toMatch(
      /^process web\t.* bundle exec puma .* \(usual for this framework, instances 2, memory_mb 512\)$/m,
    );
    expect(first.stdout).toContain("build command\tmake (gantry.json)\n");
    expect(first.stdout).toContain("job backup\tbin/backup at 30 2 * * * (gantry.json)\n");
    expect(first.stdout).toContain("suggested worker\tRAILS_ENV=production bundle exec sidekiq\n");
    await app.commit({ Procfile: "web: bin/web\nworker: bin/work\nrelease: bin/migrate\n" });
    const second = await gantry(app.path, ["detect"]);
    expect(second.stdout).toContain(
      "release command\tbin/migrate (Procfile)\nprocess web\tbin/web (Procfile, instances 2, memory_mb 512)\nprocess worker\tbin/work (Procfile)\n",
    );
    const json = await gantry(app.path, ["detect", "--json"]);
    expect(jsonOf(json.stdout)).toMatchObject({
      release_command: "bin/migrate",
      suggested_worker: null,
      processes: [
        { name: "web", from: "Procfile", command: "bin/web", instances: 2, memory_mb: 512 },
        { name: "worker", from: "Procfile", command: "bin/work" },
      ],
    });
  });

  it("shows the redirects and headers of a site without a build, and lines that are not used", async () => {
    const site = await createRepository(join(cli.home, "plain"));
    const redirects = "/a /b\n/c /d\n/e https://example.org 200\n";
    const page = "<script src=/app.js></script>";
    await site.commit({
      "index.html": page,
      _redirects: redirects,
      _headers: "/*\n  X-Frame-Options: DENY\n",
    });
    const { stdout } = await gantry(site.path, ["detect"]);
    expect(stdout).toContain("rules\t_redirects: 2 redirects, _headers: headers for 1 path\n");
    expect(stdout).toMatch(/^warning\t_redirects, line 3 is not used: With the status 200 /m);
    expect(stdout).toMatch(/^warning\tindex.html loads \/app.js, which the site does not have: /m);
    const json = await gantry(site.path, ["detect", "--json"]);
    expect(jsonOf(json.stdout)).toMatchObject({
      redirects: 2,
      headers: 1,
      unused_lines: [{ file: "_redirects", line: 3 }],
    });
  });

  it("refuses a file that it cannot read, and notes what it does not read, as a deployment does", async () => {
    const app = await createRepository(join(cli.home, "unreadable"));
    await app.commit({ "package.json": '{\n"main": "index.js",\n}', "index.html": "", procfile: "web: a" });
    const refused = await gantry(app.path, ["detect"]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain(
      "package.json is not JSON: there is a comma after the last item, in line 2",
    );
    await app.commit({ "package.json": "{}" });
    const { stdout } = await gantry(app.path, ["detect"]);
    expect(stdout).toContain("note\tprocfile is not read: the name of this file must be exactly Procfile\n");
  });

  it("refuses a wrong Procfile with its line", async () => {
    const app = await createRepository(join(cli.home, "wrong"));
    await app.commit({ Procfile: "web: a\nWEB: b\n" });
    const { code, stdout } = await gantry(app.path, ["detect"]);
    expect(code).toBe(1);
    expect(stdout).toContain("line 2 of the Procfile defines `web` again, after line 1");
    expect(stdout).toContain("Delete one of the two lines");
  });

  it("says the same as a deployment of files that are no site, and what to do", async () => {
    const app = await createRepository(join(cli.home, "rust"));
    await app.commit({ "Cargo.toml": "", "src/main.rs": "" });
    const { code, stdout } = await gantry(app.path, ["detect"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^type\tnone: there is nothing to publish: .* `Cargo.toml` is of Rust/m);
    expect(stdout).toMatch(/^what to do\tSet build_command to `cargo build --release`/m);
    expect(stdout).not.toContain("output directory");
    const built = await gantry(app.path, ["build"]);
    expect(built).toMatchObject({ code: 1, stdout: expect.stringContaining("there is nothing to publish") });
  });

  it("names the programs that this machine lacks", async () => {
    const site = await createSite("");
    const { code, stdout } = await gantry(site.path, ["detect"], { PATH: bare });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^missing\t.*needs hugo for hugo.toml, which this machine does not have\. \S+/m);
  });

  it("refuses a folder without a commit, and says what to do", async () => {
    const outside = await gantry("/", ["detect"]);
    expect(outside).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not in a git repository. Pass --here"),
    });
    const empty = await createRepository(join(cli.home, "empty"));
    const uncommitted = await gantry(empty.path, ["detect"]);
    expect(uncommitted).toMatchObject({ code: 2, stderr: expect.stringContaining("has no commit yet.") });
    const nowhere = await gantry(empty.path, ["build", "nowhere"]);
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("/nowhere is not a folder.") });
  });
});

describe("gantry build", () => {
  it("builds a copy of the last commit with the environment of a deployment, and deletes it", async () => {
    const script =
      'mkdir public; echo > public/index.html; env | sort > public/env; printf "/a /b\\n/c\\n" > public/_redirects; pwd; echo "at $GANTRY_RELEASE"; test ! -e draft';
    const site = await createSite(script);
    writeFileSync(join(site.path, "draft"), "");
    const built = await gantry(site.path, ["build"], { GANTRY_TOKEN: "gantry_secret", OTHER: "x" });
    expect(built).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ The build succeeded \(build (?:0\.\d s|\d+ ms)/),
    });
    expect(built.stdout).toMatch(new RegExp(`^(${temporary}/.*)\nat \\1$`, "m"));
    expect(built.stdout).toContain("warning: _redirects, line 2 is not used: The line has no target.");
    expect(copies()).toBe(0);
    expect(existsSync(join(site.path, "public"))).toBe(false);

    const kept = await gantry(site.path, ["build", "--keep"], { GANTRY_TOKEN: "gantry_secret", OTHER: "x" });
    const [, output = ""] = /^ {2}(.*) would be published\.$/m.exec(kept.stdout) ?? [];
    const environment = readFileSync(join(output, "env"), "utf8");
    const head = await site.git("rev-parse", "HEAD");
    for (const line of [
      "CI=true",
      "GANTRY=1",
      `GANTRY_COMMIT=${head}`,
      "GANTRY_BRANCH=main",
      "GANTRY_VERSION=0",
    ])
      expect(environment).toContain(`${line}\n`);
    expect(environment).not.toMatch(/gantry_secret|OTHER/);
  });

  it("installs the packages of a lock file, and prints each event as JSON", async () => {
    const site = await createRepository(join(cli.home, "eleventy"));
    const own = { name: "site", devDependencies: { "@11ty/eleventy": "file:eleventy" } };
    const packages = {
      "": own,
      eleventy: { name: "@11ty/eleventy", version: "3.0.0", dev: true },
      "node_modules/@11ty/eleventy": { resolved: "eleventy", link: true },
    };
    const build = "require('fs').cpSync(require.resolve('@11ty/eleventy'), '_site/index.html')";
    await site.commit({
      "package.json": JSON.stringify({ ...own, scripts: { build: `node -e "${build}"` } }),
      "package-lock.json": JSON.stringify({ name: "site", lockfileVersion: 3, requires: true, packages }),
      "eleventy/package.json": JSON.stringify({ name: "@11ty/eleventy", version: "3.0.0" }),
      "eleventy/index.js": "installed",
    });
    const { code, stdout } = await gantry(site.path, ["build", "--keep", "--json"]);
    expect(code).toBe(0);
    const events = linesOf(stdout);
    expect(events[0]).toMatchObject({ type: "started", framework: "eleventy", install_command: "npm ci" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "line", stage: "install", message: "running npm ci" }),
    );
    expect(events.at(-1)).toMatchObject({
      type: "end",
      status: "succeeded",
      failure: null,
      stages: [{ stage: "install" }, { stage: "build" }],
    });
    const folder = /"folder":"([^"]*)"/.exec(stdout)?.[1] ?? "";
    expect(readFileSync(join(folder, "_site", "index.html"), "utf8")).toBe("installed");
  });

  it("fails as a deployment does, with the failure and what to do", async () => {
    const before = copies();
    const failing = await createSite("echo 'Error: missing environment variable API_URL' >&2; exit 3");
    const failed = await gantry(failing.path, ["build"]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain(
      "✗ The build failed: the build command ended with exit code 3 (build_failed, in the stage build)",
    );
    expect(failed.stdout).toMatch(
      /\n {2}Error: missing environment variable API_URL\n {2}Set the variable API_URL in the project\./,
    );

    const elsewhere = await createSite("mkdir site");
    const unpublished = await gantry(elsewhere.path, ["build", "--json"]);
    expect(unpublished.code).toBe(1);
    expect(linesOf(unpublished.stdout).at(-1)).toMatchObject({
      status: "failed",
      failure: {
        message: "the output directory `public` does not exist after the build",
        hint: expect.stringContaining("The folders after the build are `site`."),
      },
    });
    const leaving = await createSite(
      "mkdir public && echo > public/index.html && ln -s /etc/passwd public/users",
    );
    const refused = await gantry(leaving.path, ["build"]);
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("`public/users` to `/etc/passwd`"),
    });
    const missing = await gantry(failing.path, ["build"], { PATH: bare });
    expect(missing.stdout).toContain("(tool_missing, in the stage build)");
    expect(copies()).toBe(before);
  });

  it("builds in place with --here, also files that are not committed", async () => {
    const site = await createSite("cp -r draft public; echo $GANTRY_COMMIT");
    mkdirSync(join(site.path, "draft"));
    writeFileSync(join(site.path, "draft", "index.html"), "draft");
    const built = await gantry(site.path, ["build", "--here"]);
    expect(built).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${site.path}/public would be published.`),
    });
    expect(built.stdout).toContain(`\n${await site.git("rev-parse", "HEAD")}\n`);
    expect(readFileSync(join(site.path, "public", "index.html"), "utf8")).toBe("draft");
  });

  it("publishes no files of an app that runs as a server", async () => {
    const app = await createRepository(join(cli.home, "go"));
    writeFileSync(join(tools, "go"), "#!/bin/sh\necho go version go1.99.0 linux/amd64\n");
    chmodSync(join(tools, "go"), 0o755);
    await app.commit({ "go.mod": "module example.com/app\n", "main.go": "package main\n" });
    const built = await gantry(app.path, ["build", "--here"]);
    expect(built).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`It runs as a server in ${app.path}.`),
    });
    expect(built.stdout).toContain("process web runs bin/app (usual for this framework)\n");
    expect(built.stdout).not.toContain("would be published");
  });

  it("refuses a submodule that a server cannot fetch, although its files are here", async () => {
    const site = await createSite("exit 0");
    const theme = await createRepository(join(site.path, "theme"));
    await theme.commit({ "a.txt": "" });
    await site.git("-c", "advice.addEmbeddedRepo=false", "add", "theme");
    await site.commit({});
    const { code, stderr } = await gantry(site.path, ["build"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "A deployment would fail: the repository has the submodule `theme`, and no .gitmodules",
    );
  });

  it("has the files of submodules that are checked out, and names the others", async () => {
    const theme = await createRepository(join(cli.home, "theme"));
    await theme.commit({ "theme.css": "body {}" });
    const site = await createSite("mkdir public && cp theme/theme.css public/index.html");
    for (const name of ["theme", "other"])
      await site.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", theme.path, name);
    await site.git("commit", "--quiet", "-m", "Add themes");
    await site.git("submodule", "--quiet", "deinit", "--force", "other");
    const { code, stderr } = await gantry(site.path, ["build"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("not checked out here, so their files are missing: other."),
    });
  });
});

describe("an interrupted build", () => {
  /** A build that starts a daemon and hangs. @returns the running command, once the build runs */
  const hanging = async (trap: string) => {
    const site = await createSite(`${trap}setsid sleep 600 & echo "marker $GANTRY_RUN_ID"; sleep 600`);
    const running = cli.start(["build"], optionsIn(site.path));
    await running.printed("stdout", "marker local_");
    const [, marker = ""] = /marker (\S+)/.exec(running.stdout()) ?? [];
    expect(processesOfRun(marker)).not.toEqual([]);
    return { running, marker };
  };
  it("ends all its processes and deletes its copy", async () => {
    const before = copies();
    const { running, marker } = await hanging("");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(processesOfRun(marker)).toEqual([]);
    expect(copies()).toBe(before);
  });

  it("does so at once at the second Ctrl-C, if the build ignores the first", async () => {
    const before = copies();
    const { running, marker } = await hanging("trap '' TERM; ");
    running.child.kill("SIGINT");
    await running.printed("stderr", "Press Ctrl-C again to end it at once.");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
    await eventually("no process of the build runs", () => processesOfRun(marker).length === 0);
    expect(copies()).toBe(before);
  });
});

describe("the settings of a project", () => {
  let installation: Gantry;
  let server: ServerWithKey;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    installation = await useGantry();
    server = await createServerWithKey(installation, "site");
    env = { GANTRY_URL: installation.url, GANTRY_TOKEN: installation.token };
    const settings = {
      repository: "git@git.example.com:acme/site.git",
      root_directory: "web",
      build_command: 'mkdir out; echo "$PLAIN $NPM_TOKEN" > out/index.html; cat out/index.html',
      output_directory: "out",
    };
    await server.api.call("PATCH", `/v1/projects/${server.projectId}`, settings);
    await server.update({
      set: [
        { name: "PLAIN", value: "from the project" },
        { name: "NPM_TOKEN", value: "secret", secret: true, build: true },
        { name: "RUNTIME", value: "secret", secret: true },
      ],
    });
  });
  afterAll(() => server.stop());

  const createClone = async () => {
    const site = await createSite("exit 1", { "web/hugo.toml": "" });
    await site.git("remote", "add", "origin", "https://someone:password@git.example.com/Acme/site");
    return site;
  };

  it("apply if the project deploys this repository", async () => {
    const site = await createClone();
    const detected = await gantry(site.path, ["detect"], env);
    expect(detected.stdout).toContain("project\tsite\nroot directory\tweb\n");
    expect(detected.stdout).toMatch(
      /^build command\tmkdir out.* \(set in the project; automatic: hugo.*\)$/m,
    );
    const project = Project.parse((await server.api.call("GET", `/v1/projects/${server.projectId}`)).json);
    const { stdout } = await gantry(site.path, ["detect", "--json"], env);
    expect(jsonOf(stdout)).toMatchObject({ project: { id: project.id }, automatic: project.automatic });

    const built = await gantry(site.path, ["build"], env);
    expect(built).toMatchObject({ code: 0, stdout: expect.stringContaining("\nfrom the project \n") });
    expect(built.stderr).toContain(
      "Only the server can open these secrets of builds: NPM_TOKEN. Pass values with",
    );
    writeFileSync(join(site.path, ".env.build"), "NPM_TOKEN=local\n");
    const withFile = await gantry(site.path, ["build", "--here", "--env-file=.env.build"], env);
    expect(withFile).toMatchObject({ code: 0, stderr: "" });
    expect(withFile.stdout).toContain("\nfrom the project local\n");
  });

  it("do not apply with --no-project, or without a sign-in, unless the project is named", async () => {
    const site = await createClone();
    const ignored = await gantry(site.path, ["detect", "--no-project"], env);
    expect(ignored).toMatchObject({ code: 0, stdout: expect.stringContaining("root directory\t.\n") });
    const both = await gantry(site.path, ["detect", "--no-project", "--project", "site"], env);
    expect(both).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("either --project or --no-project"),
    });
    const unsigned = await gantry(site.path, ["build", "--project", "site"]);
    expect(unsigned).toMatchObject({ code: 3 });
    const unknown = await gantry(site.path, ["build", "--project", "shop"], env);
    expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining("There is no project shop") });
  });

  it("are not needed: without a network, a note says so", async () => {
    const site = await createClone();
    const offline = { ...env, GANTRY_URL: "http://127.0.0.1:9" };
    const detected = await gantry(site.path, ["detect"], offline);
    expect(detected).toMatchObject({ code: 0, stdout: expect.stringMatching(/^build command\thugo/m) });
    expect(detected.stderr).toMatch(/The settings of the project are not known: .*cannot be reached/);
  });
});

/** Files in a folder. */
function prefixed(folder: string, files: Record<string, string>): [string, string][] {
  return Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]);
}
