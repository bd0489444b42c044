import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type CallOptions, createCli } from "./support/command.ts";
import { createInstallation, type Installation } from "./support/installation.ts";

const cli = createCli();
const SHA = "0123456789abcdef0123456789abcdef01234567";
let installation: Installation;
let site: string;

beforeAll(async () => {
  installation = await createInstallation();
  site = join(installation.home, "public");
  mkdirSync(join(site, "assets"), { recursive: true });
  writeFileSync(join(site, "index.html"), "made in a CI job");
  writeFileSync(join(site, "assets", "style.css"), "a {}");
});
afterAll(() => installation.stop());

let count = 0;
async function createProject(settings: Record<string, unknown> = {}): Promise<string> {
  count += 1;
  const name = `artifact-${count}`;
  const { host, api } = installation;
  const repository = "https://example.com/acme/shop.git";
  const { id } = await api.createProject({
    ...{ name, server_id: host.serverId, repository, artifact_uploads: true },
    ...settings,
  });
  return id;
}

const options = (project: string, env: NodeJS.ProcessEnv = {}): CallOptions => ({
  folder: installation.home,
  env: {
    GANTRY_URL: installation.clients.url,
    GANTRY_TOKEN: installation.token,
    GANTRY_PROJECT: project,
    ...env,
  },
});
const deploy = (project: string, args: readonly string[], env?: NodeJS.ProcessEnv) =>
  cli.run(["deploy", ...args], options(project, env));
const served = (project: string) =>
  readFileSync(join(installation.host.home, "projects", project, "current", "index.html"), "utf8");

describe("gantry deploy --artifact", () => {
  it("deploys a folder, at the commit of the CI job, and shows the log", async () => {
    const project = await createProject();
    const args = ["--artifact", "public", "--follow"];
    const called = await deploy(project, args, { CI_COMMIT_SHA: SHA });
    expect(called, called.stderr).toMatchObject({ code: 0 });
    expect(called.stderr).toMatch(/^Packed 3 files with 0\.0 MiB into 0\.0 MiB\.$/m);
    expect(called.stderr).toMatch(/^Uploaded 0\.0 MiB of 0\.0 MiB\.$/m);
    expect(called.stdout).toContain("downloaded the build");
    expect(served(project)).toBe("made in a CI job");
    const [deployed] = await installation.api.listDeployments(project);
    expect(deployed).toMatchObject({ commit_sha: SHA, status: "live", build: { server_id: null } });
  });

  it.each([
    ["tar", []],
    ["tar.gz", ["--gzip"]],
    ["tar.zst", ["--zstd"]],
  ])("deploys a .%s", async (form, compressed) => {
    const project = await createProject();
    const path = join(installation.home, `site.${form}`);
    execFileSync("tar", [...compressed, "-cf", path, "-C", site, "."]);
    const called = await deploy(project, ["--artifact", path, "--commit", SHA, "--follow"]);
    expect(called, called.stderr).toMatchObject({ code: 0 });
    expect(served(project)).toBe("made in a CI job");
  });

  it("takes the checked out commit of the folder's repository", async () => {
    const project = await createProject();
    const folder = join(installation.home, "repository");
    const git = (...args: string[]) =>
      execFileSync(
        "git",
        ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args],
        {
          encoding: "utf8",
        },
      );
    mkdirSync(folder);
    git("init", "--quiet");
    writeFileSync(join(folder, "index.html"), "from a repository");
    git("add", "index.html");
    git("commit", "--quiet", "--message", "Change the title");
    const called = await deploy(project, ["--artifact", folder, "--follow"]);
    expect(called, called.stderr).toMatchObject({ code: 0 });
    const [deployed] = await installation.api.listDeployments(project);
    expect(deployed).toMatchObject({
      commit_sha: git("rev-parse", "HEAD").trim(),
      commit_message: "Change the title",
    });
  });

  it("says what is missing or wrong, and starts nothing", async () => {
    const project = await createProject();
    const refusals: [args: readonly string[], message: RegExp][] = [
      [["public"], /Pass --commit with the full hash of the commit that was built/],
      [["public", "--commit", "0123456"], /--commit must be the full hash/],
      [["nowhere", "--commit", SHA], /nowhere cannot be read: ENOENT/],
      [
        ["public/index.html", "--commit", SHA],
        /public\/index\.html cannot be unpacked: it is not a tar archive/,
      ],
      [["public", "--commit", SHA, "--clear-cache"], /--clear-cache is for builds on the server/],
    ];
    for (const [args, message] of refusals) {
      const called = await deploy(project, ["--artifact", ...args]);
      expect(called.code).toBe(2);
      expect(called.stderr).toMatch(message);
    }
    expect(await installation.api.listDeployments(project)).toEqual([]);
  });

  it("is refused by a project that takes no builds, before anything is uploaded", async () => {
    const project = await createProject({ artifact_uploads: false });
    const called = await deploy(project, ["--artifact", "public", "--commit", SHA]);
    expect(called.code).not.toBe(0);
    expect(called.stderr).toContain("does not take builds that were made elsewhere");
    const command = `gantry projects set ${project} --artifact-uploads on`;
    expect(called.stderr).toContain(`To allow it: ${command}\n`);
    expect(called.stderr).not.toContain("Uploaded");
  });
});
