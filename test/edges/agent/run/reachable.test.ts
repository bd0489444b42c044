import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { noSites } from "#agent/sites/sites-client.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { CommitResolution } from "#contract/agent-answers.ts";

import { hiddenCommit, longHistory, openForge, similarCommits } from "../../../agent/support/forge.ts";
import { ids, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.policy = { commits: "any" };
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const source = (change: Partial<RunOrder["source"]>) => world.source({ commits: "reachable", ...change });
const failed = (code: string, message: RegExp) => ({
  outcome: "failed",
  failure: { code, stage: "fetch", message: expect.stringMatching(message) },
});
const unreachable = (sha: string) =>
  failed("commit_not_reachable", new RegExp(`^no branch or tag of .* contains commit ${sha}: push`));
const live = (sha: string) => ({ outcome: "live", evidence: { commit_sha: sha } });
const git = (...args: string[]) => world.repository.git(...args);

/** Expects that the check has left no files. */
const expectNoGraph = () =>
  expect(existsSync(world.path("tmp")) ? readdirSync(world.path("tmp")) : []).toEqual([]);

describe("a commit that no branch or tag contains", () => {
  it("is refused when it belongs to a pull request, by its full hash and by an abbreviated one", async () => {
    const sha = hiddenCommit(world.repository, "evil");
    git("update-ref", "refs/pull/1/head", sha);
    await world.startAgent();
    for (const commit of [sha, sha.slice(0, 9), sha.toUpperCase()]) {
      const { result } = await world.deploy(source({ commit }));
      expect(result).toEqual(unreachable(commit.toLowerCase()));
    }
    expect(world.current).toBeNull();
    expect(readdirSync(world.path("releases"))).toEqual([]);
    expectNoGraph();
  });

  it("is refused when the forge only serves it by its hash, as it does for forks", async () => {
    const forge = openForge(world.folder, world.repository);
    const sha = hiddenCommit(world.repository, "evil");
    await world.startAgent({}, noSites, forge.environment);
    const { result } = await world.deploy(source({ repository: forge.url, commit: sha }));
    expect(result).toEqual(unreachable(sha));
    // Proves that it can be fetched, so only the setting decides.
    const free = await world.deploy(source({ repository: forge.url, commit: sha, commits: "any" }));
    expect(free.result).toMatchObject(live(sha));
  });

  it("is refused even if the mirror holds it and it was live, except in a rollback", async () => {
    const first = git("rev-parse", "main");
    await world.startAgent();
    await world.deploy();
    git("commit", "--quiet", "--amend", "--message=other");
    const second = await world.deploy({ keep_releases: [1] });
    expect(second.result.outcome).toBe("live");
    const asked = await world.deploy({ ...source({ commit: first }), keep_releases: [1] });
    expect(asked.result).toEqual(unreachable(first));

    const back = source({ commit: first, was_live: true });
    const kept = await world.deploy({ ...back, reuse_release: 1, keep_releases: [1, 2] });
    expect(kept.result).toMatchObject(live(first));
    for (const _ of ["the release before stays", "and goes"]) await world.deploy({ keep_releases: [] });
    const rebuilt = await world.deploy({ ...back, reuse_release: 1 });
    expect(rebuilt.result).toMatchObject(live(first));
    expect(messagesOf(rebuilt.run)).toContainEqual(expect.stringMatching(/^wrote the files of/));
  });

  it("is refused when a branch is named after its hash, or the remote replaces a parent by it", async () => {
    const sha = hiddenCommit(world.repository, "evil");
    git("update-ref", `refs/heads/${sha}`, "main");
    git("update-ref", `refs/heads/${sha.slice(0, 7)}`, "main");
    world.repository.commit({ "index.html": "two" });
    git("replace", "--graft", "main", sha);
    git("update-ref", "refs/heads/grafted", "main");
    await world.startAgent();
    for (const commit of [sha, sha.slice(0, 7)])
      expect((await world.deploy(source({ commit }))).result).toEqual(unreachable(commit));
  });

  it("is refused when its branch was rewritten between the lookup and the fetch", async () => {
    const gone = world.repository.commit({ "index.html": "gone" });
    world.repository.commit({ "index.html": "tip" });
    const other = git("commit-tree", "-m", "other", "main^{tree}");
    const forge = openForge(world.folder, world.repository, {
      beforeFetch: `git update-ref refs/heads/main ${other}`,
    });
    await world.startAgent({}, noSites, forge.environment);
    const { result } = await world.deploy(source({ repository: forge.url, commit: gone }));
    expect(result).toEqual(unreachable(gone));
  });

  it("is deployed if the project's setting and the policy are `any`, and no hash is if the setting is `none`", async () => {
    const sha = hiddenCommit(world.repository, "other");
    git("update-ref", "refs/pull/1/head", sha);
    await world.startAgent();
    expect((await world.deploy(source({ commit: sha, commits: "any" }))).result).toMatchObject(live(sha));
    const tip = git("rev-parse", "main");
    const none = await world.deploy({ ...source({ commit: tip, commits: "none" }), keep_releases: [1] });
    expect(none.result).toEqual(failed("commit_not_reachable", /no commit by its hash/));
    const branch = await world.deploy({ ...source({ commits: "none" }), keep_releases: [1] });
    expect(branch.result).toMatchObject(live(tip));
  });
});

describe("a commit that a branch or tag contains", () => {
  it("is deployed: a tip without fetching history, and an earlier commit", async () => {
    const first = git("rev-parse", "main");
    const second = world.repository.commit({ "index.html": "two" });
    git("branch", "next");
    const third = world.repository.commit({ "index.html": "three" });
    await world.startAgent();
    const tip = await world.deploy(source({ commit: third }));
    expect(tip.result).toMatchObject(live(third));
    expect(messagesOf(tip.run)).not.toContainEqual(expect.stringMatching(/in the history/));
    for (const commit of [second, first, first.slice(0, 7)]) {
      const { result } = await world.deploy({ ...source({ commit }), keep_releases: [...world.releases] });
      expect(result).toMatchObject({ outcome: "live" });
    }
    expect(world.read("current/index.html")).toBe("one");
    expectNoGraph();
  });

  it("is deployed if only a tag contains it, including an annotated tag, a tag of a tag, and the tag's own hash", async () => {
    const tagged = hiddenCommit(world.repository, "tagged");
    const before = git("rev-parse", `${tagged}^`);
    git("tag", "--annotate", "v1", "--message=one", tagged);
    git("tag", "--annotate", "nested", "--message=two", "v1");
    git("tag", "--annotate", "tree", "--message=three", "main^{tree}");
    git("tag", "file", "main:index.html");
    const inner = git("rev-parse", "v1");
    const outer = git("rev-parse", "nested");
    git("tag", "--delete", "v1");
    git("commit", "--quiet", "--amend", "--message=main is elsewhere");
    await world.startAgent();
    for (const commit of [tagged, outer, inner, inner.slice(0, 10)])
      expect((await world.deploy({ ...source({ commit }), keep_releases: [] })).result).toMatchObject(
        live(tagged),
      );
    const { result } = await world.deploy(source({ commit: before.slice(0, 8) }));
    expect(result).toMatchObject(live(before));
    for (const name of ["tree", "file"]) {
      const hash = git("rev-parse", name);
      const wrong = await world.deploy(source({ commit: hash }));
      expect(wrong.result).toMatchObject({ outcome: "failed" });
    }
  });

  it("is the only match for an abbreviated hash, which is refused when two match", async () => {
    const [one, other] = similarCommits(world.repository);
    const commit = one.slice(0, 7);
    git("update-ref", "refs/heads/one", one);
    git("update-ref", "refs/pull/1/head", other);
    await world.startAgent();
    // The mirror has both.
    await world.deploy(source({ commit: other, commits: "any" }));
    expect((await world.deploy(source({ commit }))).result).toMatchObject(live(one));
    git("update-ref", "refs/heads/other", other);
    expect((await world.deploy(source({ commit }))).result).toEqual(
      failed("ref_not_found", new RegExp(`^${commit} is the short hash of several commits`)),
    );
    expect((await world.deploy(source({ commit: other }))).result).toMatchObject(live(other));
  });

  it("must be in the branch or tag that the request names, if it names one", async () => {
    const first = git("rev-parse", "main");
    git("tag", "v1");
    git("checkout", "--quiet", "-b", "next");
    const next = world.repository.commit({ "index.html": "next" });
    git("checkout", "--quiet", "main");
    const main = world.repository.commit({ "index.html": "main" });
    await world.startAgent();
    const named = (branch: string, commit: string) => source({ branch, commit, in_branch: true });
    const orders: [string, string][] = [
      ["main", next],
      ["next", main],
      ["v1", main],
    ];
    for (const [branch, commit] of orders)
      expect((await world.deploy(named(branch, commit))).result).toEqual(
        failed("commit_not_reachable", new RegExp(`^\`${branch}\` of .* does not contain commit ${commit}`)),
      );
    expect((await world.deploy(named("gone", main))).result).toEqual(
      failed("ref_not_found", /^there is no branch or tag `gone` in/),
    );
    for (const [branch, commit] of [
      ["main", main],
      ["main", first],
      ["v1", first],
      ["next", next],
    ] as const)
      expect((await world.deploy(named(branch, commit))).result).toMatchObject(live(commit));
    // The project's branch is only the default: the request did not name it.
    expect((await world.deploy(source({ commit: next }))).result).toMatchObject(live(next));
  });

  it("is found in a shallow repository within its depth, and completely when it is complete", async () => {
    const first = git("rev-parse", "main");
    const second = world.repository.commit({ "index.html": "two" });
    world.repository.commit({ "index.html": "three" });
    const clone = join(world.folder, "clone");
    execFileSync("git", ["clone", "--quiet", "--depth=2", `file://${world.repository.path}`, clone]);
    await world.startAgent();
    const deploy = async (commit: string) =>
      (await world.deploy(source({ repository: `file://${clone}`, commit }))).result;
    expect(await deploy(second)).toMatchObject(live(second));
    expect(await deploy(first)).toEqual(unreachable(first));
    execFileSync("git", ["fetch", "--quiet", "--unshallow"], { cwd: clone });
    expect(await deploy(first)).toMatchObject(live(first));
  });

  it("is found on a git server without partial clones", async () => {
    const first = git("rev-parse", "main");
    world.repository.commit({ "index.html": "two" });
    const forge = openForge(world.folder, world.repository, { filters: false });
    await world.startAgent({}, noSites, forge.environment);
    const hidden = hiddenCommit(world.repository, "evil");
    const order = (commit: string) => source({ repository: forge.url, commit });
    expect((await world.deploy(order(hidden))).result).toEqual(unreachable(hidden));
    const { run, result } = await world.deploy(order(first));
    expect(result).toMatchObject(live(first));
    // git's warning that the server cannot leave out files, which nobody has to do anything about.
    expect(messagesOf(run, "stderr")).toEqual([]);
  });

  it("is found among 2,500 branches with long names", async () => {
    const first = git("rev-parse", "main");
    const tip = world.repository.commit({ "index.html": "two" });
    const name = (n: number) => `${`${"b".repeat(200)}/`.repeat(7)}${n}`;
    const refs = Array.from({ length: 2_500 }, (_, n) => `create refs/heads/${name(n)} ${tip}\n`);
    execFileSync("git", ["update-ref", "--stdin"], { cwd: world.repository.path, input: refs.join("") });
    await world.startAgent();
    const { result } = await world.deploy(source({ commit: first }));
    expect(result).toMatchObject(live(first));
  });

  it("is found with SHA-256 hashes", async () => {
    const modern = join(world.folder, "modern");
    execFileSync("git", ["init", "--quiet", "--object-format=sha256", "--initial-branch=main", modern]);
    const run = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=a@example.com", ...args], {
        cwd: modern,
        encoding: "utf8",
      }).trim();
    run("commit", "--quiet", "--allow-empty", "--message=one");
    const first = run("rev-parse", "HEAD");
    run("commit", "--quiet", "--allow-empty", "--message=two");
    const hidden = run("commit-tree", "-m", "hidden", "HEAD^{tree}");
    await world.startAgent();
    const deploy = async (commit: string) =>
      (await world.deploy(source({ repository: modern, commit }))).result;
    expect(await deploy(first)).toMatchObject(live(first));
    expect(await deploy(hidden)).toEqual(unreachable(hidden));
  });

  it("needs few bytes in a history of 20,000 commits, and hardly any near its end", async () => {
    longHistory(world.repository, "long", 20_000);
    const forge = openForge(world.folder, world.repository);
    await world.startAgent({}, noSites, forge.environment);
    const costOf = async (commit: string) => {
      const before = forge.bytesSent();
      const { result } = await world.deploy(source({ repository: forge.url, commit }));
      expect(result).toMatchObject(live(git("rev-parse", commit)));
      return forge.bytesSent() - before;
    };
    const tip = await costOf(git("rev-parse", "long"));
    const recent = await costOf(git("rev-parse", "long~50"));
    const old = await costOf(git("rev-parse", "long~19000"));
    // A commit takes about 170 bytes, plus the files of one release.
    expect(recent - tip).toBeLessThan(200_000);
    expect(old).toBeLessThan(6_000_000);
  });
});

describe("under a policy, a commit by its hash", () => {
  const refused = (rule: string) =>
    failed("refused_by_policy", new RegExp(`^this server's policy \\(${rule}\\) does not allow commit`));

  it("must be in a branch or tag if the rule is omitted, whatever the project's setting", async () => {
    const first = git("rev-parse", "main");
    world.repository.commit({ "index.html": "two" });
    const hidden = hiddenCommit(world.repository, "evil");
    world.policy = {};
    await world.startAgent();
    const order = (commit: string) => source({ commit, commits: "any" });
    expect((await world.deploy(order(hidden))).result).toEqual(refused("commits"));
    expect((await world.deploy(order(first))).result).toMatchObject(live(first));
    // Both rules refuse it, so the message names both.
    expect((await world.deploy(source({ commit: hidden }))).result).toEqual(
      failed(
        "commit_not_reachable",
        /set the project's commits to any, and in this server's policy as well$/,
      ),
    );
  });

  it("must be in one of the allowed branches, whatever branch the order names", async () => {
    const first = git("rev-parse", "main");
    git("checkout", "--quiet", "-b", "dev");
    const dev = world.repository.commit({ "index.html": "dev" });
    git("checkout", "--quiet", "-b", "release/1", "main");
    const release = world.repository.commit({ "index.html": "release" });
    git("checkout", "--quiet", "main");
    world.repository.commit({ "index.html": "main" });
    world.policy = { branches: ["main", "release/*"], commits: "any" };
    await world.startAgent();
    for (const commits of ["any", "reachable"] as const) {
      expect((await world.deploy(source({ commit: dev, commits }))).result).toEqual(refused("branches"));
      expect((await world.deploy(source({ commit: dev.slice(0, 8), commits }))).result).toEqual(
        refused("branches"),
      );
      expect((await world.deploy(source({ commit: first, commits }))).result).toMatchObject(live(first));
      expect((await world.deploy(source({ commit: release, commits }))).result).toMatchObject(live(release));
    }
  });

  it("is built again for a rollback only if this server recorded it as live, with an allowed branch", async () => {
    const first = git("rev-parse", "main");
    git("checkout", "--quiet", "-b", "dev");
    const dev = world.repository.commit({ "index.html": "dev" });
    git("checkout", "--quiet", "main");
    const never = hiddenCommit(world.repository, "never");
    const agent = await world.startAgent();
    await world.deploy();
    await world.deploy(source({ branch: "dev" }));
    git("commit", "--quiet", "--amend", "--message=other");
    git("branch", "--delete", "--force", "dev");
    await agent.stop();
    world.policy = { branches: ["main"] };
    await world.startAgent();
    const back = async (commit: string) =>
      (await world.deploy({ ...source({ commit, was_live: true }), keep_releases: [] })).result;
    expect(await back(first)).toMatchObject(live(first));
    expect(await back(dev)).toEqual(refused("branches"));
    expect(await back(never)).toEqual(refused("branches"));
  });
});

describe("the commit of an approval", () => {
  let asked = 0;
  /** Asks the agent which commit a run with this source would deploy. */
  async function resolve(change: Partial<RunOrder["source"]>): Promise<CommitResolution> {
    const { repository, branch, commit, ...rules } = source(change).source;
    const request_id = `request-${(asked += 1)}`;
    const { commits, in_branch } = rules;
    world.control.send({
      ...{ type: "resolve_commit", request_id, project_id: world.projectId, project_name: "My Shop" },
      ...{ deployment_id: ids.deployment(), timeout_seconds: 60 },
      source: { repository, branch, commit, commits, in_branch },
    });
    const find = () =>
      world.control.messages.find((one) => "request_id" in one && one.request_id === request_id);
    await world.control.waitFor(`the answer to ${request_id}`, () => find() !== undefined);
    const answer = find();
    if (answer?.type !== "commit_resolved") throw new Error(JSON.stringify(answer));
    return answer.result;
  }
  const resolvedTo = (commit_sha: string) => ({ ok: true, commit_sha, commit_message: "a change" });
  const tip = (commit: string) => source({ commit, in_branch: true, was_tip: true, commits: "none" });

  it("is the commit that a run would deploy, with its message and without its files", async () => {
    const first = git("rev-parse", "main");
    const main = world.repository.commit({
      "index.html": "two",
      "large.txt": randomBytes(1e6).toString("hex"),
    });
    git("tag", "--annotate", "v1", "--message=one", first);
    const forge = openForge(world.folder, world.repository);
    await world.startAgent({}, noSites, forge.environment);
    const wanted = [
      [{}, main],
      [{ branch: "v1" }, first],
      [{ commit: first }, first],
      [{ commit: first.slice(0, 8) }, first],
      [{ commit: main.toUpperCase(), branch: "main", in_branch: true }, main],
      [{ commit: main.slice(0, 8), commits: "any" }, main],
    ] as const;
    for (const repository of [world.repository.path, forge.url])
      for (const [change, sha] of wanted)
        expect(await resolve({ repository, ...change })).toEqual(resolvedTo(sha));
    expect(forge.bytesSent()).toBeLessThan(100_000);
    expect(readdirSync(join(world.home, "git-ssh")).filter((name) => name.startsWith("test-"))).toEqual([]);
    expect(existsSync(world.path("current"))).toBe(false);
  });

  it("is found on a git server that serves only branches, and all of each", async () => {
    const first = git("rev-parse", "main");
    world.repository.commit({ "index.html": "two" });
    const forge = openForge(world.folder, world.repository, { filters: false });
    git("config", "uploadpack.allowAnySHA1InWant", "false");
    // With git's oldest protocol, in which a server refuses hashes.
    const ssh = `env -u GIT_PROTOCOL ${forge.environment["GIT_SSH_COMMAND"]}`;
    await world.startAgent({}, noSites, { ...forge.environment, GIT_SSH_COMMAND: ssh });
    expect(await resolve({ repository: forge.url, commit: first })).toEqual(resolvedTo(first));
    expect(await resolve({ repository: forge.url, commit: first, commits: "any" })).toEqual(
      resolvedTo(first),
    );
  });

  it("fails as the run would", async () => {
    const hidden = hiddenCommit(world.repository, "evil");
    const main = git("rev-parse", "main");
    world.policy = { branches: ["main"], commits: "any" };
    await world.startAgent();
    const sources = [
      { branch: "main", repository: "/nowhere" },
      { branch: "other" },
      { commit: hidden },
      { commit: main, commits: "none" },
      { commit: "1234567" },
    ] as const;
    for (const change of sources) {
      const { result } = await world.deploy(source(change));
      if (result.outcome !== "failed") throw new Error("it did not fail");
      const { code, stage } = result.failure;
      expect(await resolve(change)).toMatchObject({ ok: false, failure: { code, stage } });
    }
  });

  it("is deployed when its branch has moved on, whatever the project's setting", async () => {
    const approved = git("rev-parse", "main");
    await world.startAgent();
    expect((await world.deploy(tip(approved))).result).toMatchObject(live(approved));
    world.repository.commit({ "index.html": "not reviewed" });
    expect((await world.deploy(tip(approved))).result).toMatchObject(live(approved));
    expect(world.read("current/index.html")).toBe("one");
  });

  it("is not deployed when its branch no longer contains it, and nothing else is", async () => {
    world.repository.commit({ "index.html": "two" });
    const approved = git("rev-parse", "main");
    git("branch", "other");
    await world.startAgent();
    // The mirror has it.
    await world.deploy();
    git("commit", "--quiet", "--amend", "--message=rewritten");
    expect((await world.deploy(tip(approved))).result).toEqual(
      failed("ref_not_found", /^`main` of .* no longer contains the approved commit .*: start another/),
    );
    expect(world.read("current/index.html")).toBe("two");
  });

  it("must still be the tip if the policy allows no commit by its hash", async () => {
    const approved = git("rev-parse", "main");
    world.policy = { commits: "none" };
    await world.startAgent();
    expect((await world.deploy(tip(approved))).result).toMatchObject(live(approved));
    world.repository.commit({ "index.html": "two" });
    expect((await world.deploy(tip(approved))).result).toEqual(
      failed("refused_by_policy", /allows only the latest commit of `main`/),
    );
  });
});
