import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { gitEnvironment } from "#agent/git/commands/git-environment.ts";
import { fetchTip, type GitPlace, initMirror } from "#agent/git/commands/git.ts";
import { ownUploadPack } from "#agent/git/commands/upload-pack.ts";
import type { Command } from "#build/process/command.ts";

import { runShell } from "../../../support/run-shell.ts";
import { createRepository, type TestRepository } from "../../support/repository.ts";

let folder: string;
let repository: TestRepository;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-upload-pack-"));
  repository = createRepository(join(folder, "repository"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = ({ argv, env }: Command) => runShell(argv, { env });

async function fetchFrom(remote: string, ref: string, uploadPack: string) {
  const env = gitEnvironment({ PATH: process.env["PATH"] }, "run_1");
  const place: GitPlace = { gitDir: join(folder, "mirror.git"), remote, uploadPack, isConfined: false, env };
  await run(initMirror(place, "sha1"));
  return run(fetchTip(place, ref, true));
}

describe("a repository on the server whose configuration names commands", () => {
  beforeEach(() => {
    const sha = repository.commit({ "index.html": "one" });
    const blob = repository.git("rev-parse", `${sha}:index.html`);
    // It fails, because otherwise it would start itself without end.
    const script = `touch ${join(folder, "ran")}; false`;
    for (const [key, value] of [
      ["core.repositoryformatversion", "1"],
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.url", repository.path],
      ["remote.origin.uploadpack", script],
      ["uploadpack.packObjectsHook", script],
      ["core.fsmonitor", script],
      ["core.alternateRefsCommand", script],
      ["core.sshCommand", script],
      ["core.gitProxy", script],
      ["credential.helper", `!${script}`],
    ] as const)
      repository.git("config", key, value);
    rmSync(join(repository.path, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  });

  /** Fetches as a git from before 2.39.4 does, which fetches missing objects for others too. */
  const fetchWithEarlierGit = (uploadPack: string) =>
    fetchFrom(
      repository.path,
      "refs/heads/main",
      uploadPack.replace("GIT_NO_LAZY_FETCH=1", "GIT_NO_LAZY_FETCH=0"),
    );

  it("would run them when it is asked for a missing object", async () => {
    await fetchWithEarlierGit("env GIT_NO_LAZY_FETCH=1 git upload-pack");
    expect(existsSync(join(folder, "ran"))).toBe(true);
  });

  it("runs none of them for the agent", async () => {
    expect((await fetchWithEarlierGit(ownUploadPack)).code).not.toBe(0);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});

it("a bundle on the server is no repository, because git would open it itself, as the agent's user", async () => {
  repository.git("checkout", "--quiet", "--orphan", "small");
  repository.commit({ "index.html": "one" });
  repository.git("bundle", "create", "--quiet", join(folder, "bundle"), "small");
  const fetched = await fetchFrom(join(folder, "bundle"), "refs/heads/small", ownUploadPack);
  expect(fetched).toMatchObject({ code: 128, output: expect.stringContaining("Could not read from remote") });
});
