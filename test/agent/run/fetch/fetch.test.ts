import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventsOf, AgentWorld } from "../../support/harness.ts";
import { createRepository } from "../../support/repository.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

describe("the commit that is deployed", () => {
  it("can have a message of two hundred kilobytes of short words: its beginning is reported without a delay", async () => {
    world.repository.commit({ "index.html": "wordy" });
    const message = join(world.folder, "message");
    writeFileSync(message, "a.".repeat(100_000));
    world.repository.git("commit", "--quiet", "--amend", "--file", message);
    await world.startAgent();
    const { run, result } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(eventsOf(run, "resolved")).toMatchObject([{ commit_message: "a.".repeat(500) }]);
  });

  it("can be a lightweight tag", async () => {
    world.repository.commit({ "index.html": "tagged" });
    world.repository.git("tag", "v1");
    world.repository.commit({ "index.html": "later" });
    await world.startAgent();
    await world.deploy(world.source({ branch: "v1" }));
    expect(world.read("current/index.html")).toBe("tagged");
  });

  it("can be an annotated tag, which means the tagged commit", async () => {
    const sha = world.repository.commit({ "index.html": "tagged" });
    world.repository.git("tag", "--annotate", "v1", "--message=one");
    world.repository.commit({ "index.html": "later" });
    await world.startAgent();
    const { result } = await world.deploy(world.source({ branch: "v1" }));
    expect(result).toMatchObject({ outcome: "live", evidence: { commit_sha: sha } });
    expect(world.read("current/index.html")).toBe("tagged");
    const again = await world.deploy({ ...world.source({ branch: "v1" }), keep_releases: [1] });
    expect(again.result).toMatchObject({ evidence: { commit_sha: sha } });
  });

  it("is the branch's when a tag has the same name", async () => {
    world.repository.commit({ "index.html": "tagged" });
    world.repository.git("tag", "main");
    world.repository.commit({ "index.html": "branch" });
    await world.startAgent();
    await world.deploy();
    expect(world.read("current/index.html")).toBe("branch");
  });

  it("can be a branch with slashes when another branch ends in the same name", async () => {
    world.repository.commit({ "index.html": "wrong" });
    world.repository.git("branch", "other/feature/x");
    world.repository.git("checkout", "--quiet", "-b", "feature/x");
    world.repository.commit({ "index.html": "right" });
    await world.startAgent();
    await world.deploy(world.source({ branch: "feature/x" }));
    expect(world.read("current/index.html")).toBe("right");
  });

  it("can be a full commit hash that no branch points to", async () => {
    const sha = world.repository.commit({ "index.html": "old" });
    world.repository.commit({ "index.html": "new" });
    await world.startAgent();
    const { result } = await world.deploy(world.source({ commit: sha.toUpperCase() }));
    expect(result).toMatchObject({ outcome: "live", evidence: { commit_sha: sha } });
    expect(world.read("current/index.html")).toBe("old");
  });

  it("can be an abbreviated commit hash, even if the mirror holds no history yet", async () => {
    const sha = world.repository.commit({ "index.html": "old" });
    world.repository.commit({ "index.html": "new" });
    world.repository.commit({ "index.html": "newest" });
    await world.startAgent();
    await world.deploy();
    const { result } = await world.deploy({
      ...world.source({ commit: sha.slice(0, 7) }),
      keep_releases: [1],
    });
    expect(result).toMatchObject({ outcome: "live", evidence: { commit_sha: sha } });
    expect(world.read("current/index.html")).toBe("old");

    world.repository.commit({ "index.html": "after" });
    await world.deploy({ keep_releases: [1, 2] });
    expect(world.read("current/index.html")).toBe("after");
  });

  it("is found in a complete mirror without a request to the repository, if any commit may be deployed", async () => {
    world.policy = { commits: "any" };
    const sha = world.repository.commit({ "index.html": "old" });
    world.repository.commit({ "index.html": "new" });
    await world.startAgent();
    await world.deploy(world.source({ commit: sha.slice(0, 9), commits: "any" }));
    rmSync(world.repository.path, { recursive: true });
    const { result } = await world.deploy(world.source({ commit: sha.slice(0, 8), commits: "any" }));
    expect(result).toMatchObject({ outcome: "live", evidence: { commit_sha: sha } });
  });

  it("can come from a file:// repository and from a shallow one", async () => {
    world.repository.commit({ "index.html": "one" });
    world.repository.commit({ "index.html": "two" });
    const clone = join(world.folder, "clone");
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${world.repository.path}`, clone]);
    await world.startAgent();
    const { result } = await world.deploy(world.source({ repository: `file://${clone}` }));
    expect(result.outcome).toBe("live");
    expect(world.read("current/index.html")).toBe("two");
  });

  it("can come from a repository with SHA-256 hashes", async () => {
    const modern = createRepository(join(world.folder, "modern"), ["--object-format=sha256"]);
    const sha = modern.commit({ "index.html": "modern" });
    await world.startAgent();
    const { result } = await world.deploy(world.source({ repository: modern.path }));
    expect(result).toMatchObject({ outcome: "live", evidence: { commit_sha: sha } });
    expect(sha).toHaveLength(64);
    const byHash = await world.deploy(world.source({ repository: modern.path, commit: sha.slice(0, 10) }));
    expect(byHash.result.outcome).toBe("live");
  });
});

describe("a source that is missing", () => {
  const refNotFound = (message: RegExp) => ({
    outcome: "failed",
    failure: { code: "ref_not_found", stage: "fetch", message: expect.stringMatching(message) },
  });

  it("fails the deployment for a branch, and names it and the repository", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const ofProject = { clear: false, default_branch: "nope" };
    const { result } = await world.deploy({ ...world.source({ branch: "nope" }), cache: ofProject });
    expect(result).toMatchObject(
      refNotFound(
        /^there is no branch or tag `nope` in .*repository\. Its default branch is `main`\. To deploy that, run: gantry projects set shop --branch main$/,
      ),
    );
    expect(world.current).toBeNull();
    expect(readdirSync(world.path("releases"))).toEqual([]);
    // The project has the branch, and the deployment asked for another one.
    const cache = { clear: false, default_branch: "main" };
    const other = await world.deploy({ ...world.source({ branch: "nope" }), cache });
    expect(other.result).toMatchObject(
      refNotFound(
        /\. Its branches are `main`\. Deploy one with gantry deploy --branch NAME, or without --branch `main`\.$/,
      ),
    );
  });

  it("fails the deployment for an empty repository, and says that it is empty", async () => {
    await world.startAgent();
    const { result } = await world.deploy();
    expect(result).toMatchObject(refNotFound(/`main` in .*, which is empty$/));
    const short = await world.deploy(world.source({ commit: "abcdef1" }));
    expect(short.result).toMatchObject(refNotFound(/abcdef1 in .*, which is empty$/));
  });

  it("fails the deployment for a commit in no branch or tag, abbreviated or not", async () => {
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const full = await world.deploy(world.source({ commit: "0123456789".repeat(4) }));
    expect(full.result).toMatchObject({
      failure: {
        code: "commit_not_reachable",
        message: expect.stringMatching(/^no branch or tag of .* contains commit 0123456789/),
      },
    });
    const short = await world.deploy(world.source({ commit: "0123456" }));
    expect(short.result).toMatchObject({
      failure: {
        code: "commit_not_reachable",
        message: expect.stringMatching(/^no branch or tag of .* contains commit 0123456:/),
      },
    });
  });

  it("fails the deployment for a commit that the repository does not have, even if any may be deployed", async () => {
    world.policy = { commits: "any" };
    world.repository.commit({ "index.html": "one" });
    await world.startAgent();
    const any = (commit: string) => world.source({ commit, commits: "any" });
    const full = await world.deploy(any("0123456789".repeat(4)));
    expect(full.result).toMatchObject(refNotFound(/^there is no commit 0123456789/));
    const short = await world.deploy(any("0123456"));
    expect(short.result).toMatchObject(refNotFound(/^0123456 is not the short hash of exactly one/));
  });

  it("fails the deployment for a repository with git's own message, without the password", async () => {
    await world.startAgent();
    const gone = await world.deploy(world.source({ repository: join(world.folder, "gone") }));
    expect(gone.result).toMatchObject({
      outcome: "failed",
      failure: { code: "fetch_failed", stage: "fetch", evidence: { exit_code: 128 } },
    });
    const secret = "s3cret-pässword";
    const repository = `https://deploy:${encodeURIComponent(secret)}@127.0.0.1:1/shop.git`;
    const closed = await world.deploy(world.source({ repository }));
    expect(closed.result).toMatchObject({ failure: { code: "fetch_failed" } });
    const told = JSON.stringify(closed.run.events);
    expect(told).toContain("deploy:***@127.0.0.1:1");
    expect(told).not.toContain("s3cret");
    const withToken = await world.deploy(
      world.source({ repository: "https://127.0.0.1:1/shop.git?private_token=s3cret" }),
    );
    const shown = JSON.stringify(withToken.run.events);
    expect(shown).toContain("https://127.0.0.1:1/shop.git?private_token=***");
    expect(shown).not.toContain("s3cret");
  });
});

describe("submodules", () => {
  it("are written into their folders, including nested ones with relative addresses", async () => {
    const inner = createRepository(join(world.folder, "inner"));
    inner.commit({ "deep.txt": "deep" });
    const outer = createRepository(join(world.folder, "outer"));
    outer.commit({ "lib.txt": "lib" });
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../inner", "in side");
    outer.commit({});
    world.repository.commit({ "index.html": "one" });
    world.repository.git(
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      outer.path,
      "vendor/lib",
    );
    world.repository.commit({});
    inner.commit({ "deep.txt": "newer, but not what the parent is bound to" });
    await world.startAgent();
    const { result } = await world.deploy();
    expect(result.outcome).toBe("live");
    expect(world.read("current/vendor/lib/lib.txt")).toBe("lib");
    expect(world.read("current/vendor/lib/in side/deep.txt")).toBe("deep");
    expect(world.has("current/vendor/lib/.git")).toBe(false);

    world.repository.commit({ "index.html": "two" });
    const again = await world.deploy({ keep_releases: [1] });
    expect(again.result.outcome).toBe("live");
    expect(world.read("current/vendor/lib/in side/deep.txt")).toBe("deep");
  });
});
