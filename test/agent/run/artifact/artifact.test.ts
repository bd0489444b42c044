import { mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { ARTIFACTS } from "#contract/agent-protocol.ts";

import { artifactOf, build, makeFor, otherServer, take } from "../../support/artifacts.ts";
import { AgentWorld, eventsOf, ids, messagesOf } from "../../support/harness.ts";

let world: AgentWorld;
let other: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  other = await otherServer(world);
  world.repository.commit({ "index.html": "one" });
});
afterEach(async () => {
  await world.close();
  await other.close();
});

/** The order of the other server: the same project, whose repository it cannot read. */
const orderFor = (order: RunOrder, change: Partial<RunOrder>): RunOrder => ({
  ...other.order(),
  ...order,
  run_id: other.order().run_id,
  source: { ...order.source, repository: join(other.folder, "nowhere") },
  ...change,
});

async function takeThere(order: RunOrder, change: Partial<RunOrder>) {
  const run = other.control.dispatch(orderFor(order, change));
  return { run, result: await other.control.result(run) };
}

const there = (...parts: string[]) => join(other.home, "projects", world.projectId, ...parts);

describe("a build for other servers", () => {
  it("is the same release there, which neither fetches nor builds", async () => {
    world.repository.commit({
      "index.html": "source",
      "gantry.json": JSON.stringify({ build_command: "sh build.sh", output_directory: "dist" }),
      "build.sh": [
        "mkdir -p dist bin",
        "echo built > dist/index.html",
        "printf '#!/bin/sh\\necho hello from %s\\n' \"$PWD\" > bin/tool && chmod 755 bin/tool",
        "ln -s tool bin/alias",
        `echo ran >> ${world.file("builds")}`,
        `printf '/old /new 301\\n' > dist/_redirects`,
      ].join("\n"),
    });
    await world.startAgent();
    await other.startAgent();
    expect(world.control.lastHello?.capabilities).toContain(ARTIFACTS);
    const { artifact, run, order, commit } = await build(world, [other], {
      output_directory: undefined,
      build_command: undefined,
    });
    expect(messagesOf(run, "system").filter((line) => /pack|upload|take/.test(line))).toEqual([
      "packing the build for other servers",
      expect.stringMatching(/^packed \d+ files with 0\.0 MiB into 0\.0 MiB \(\d+ ms\)$/),
      "uploaded 0.0 MiB of 0.0 MiB",
      expect.stringMatching(/^1 server can take the build/),
    ]);

    const taken = await takeThere(order, {
      ...take(artifact),
      source: { ...order.source, repository: join(other.folder, "nowhere"), commit },
    });
    expect(taken.result).toMatchObject({ outcome: "live", evidence: { commit_sha: commit } });
    expect(world.linesOf("builds")).toEqual(["ran"]);
    expect(statSync(there("current", "bin", "tool")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(there("current", "bin", "alias"))).toBe("tool");
    const recordOf = (at: AgentWorld) =>
      JSON.parse(at.read("..", world.projectId, "releases", `${order.version}.json`));
    expect(recordOf(other)).toEqual({ ...recordOf(world), repository: expect.any(String), taken: true });
    expect(recordOf(other)).toMatchObject({
      output_directory: "dist",
      site_rules: { redirects: [expect.anything()] },
    });
    expect(eventsOf(taken.run, "stage").map(({ stage }) => stage)).toEqual([
      "fetch",
      "build",
      "activate",
      "verify",
    ]);
    expect(eventsOf(taken.run, "resolved")).toMatchObject([{ commit_sha: commit }]);
  });

  it("has the path of the release that takes it, where its files have the path of the release that was built", async () => {
    await world.startAgent();
    const script = 'printf "#!$PWD/bin/run\\n" > script; chmod 755 script; ln -s "$PWD/script" link';
    const { artifact, order } = await build(world, [world], { build_command: script });
    const { result, order: second } = await world.deploy({
      build_command: script,
      ...take(artifact),
      source: order.source,
    });
    expect(result).toMatchObject({ outcome: "live" });
    expect(world.read("current", "script")).toBe(
      `#!${world.path("releases", String(second.version))}/bin/run\n`,
    );
    expect(readlinkSync(world.path("current", "link"))).toBe(
      `${world.path("releases", String(second.version))}/script`,
    );
  });

  it("begins the shared files of the other server, and has none of this one", async () => {
    world.repository.commit({ "data/first": "from the repository" });
    await world.startAgent();
    await other.startAgent();
    const shared = { shared_paths: ["data"] };
    const first = await build(world, [other], shared);
    expect(
      (
        await takeThere(first.order, {
          ...take(first.artifact),
          source: { ...first.order.source, commit: first.commit },
        })
      ).result,
    ).toMatchObject({ outcome: "live" });
    expect(other.read("..", world.projectId, "shared", "data", "first")).toBe("from the repository");
    writeFileSync(world.path("shared", "data", "private"), "uploaded by a visitor of this server");
    writeFileSync(there("shared", "data", "own"), "kept");
    const second = await build(world, [other], shared);
    expect(
      (
        await takeThere(second.order, {
          ...take(second.artifact),
          source: { ...second.order.source, commit: second.commit },
        })
      ).result,
    ).toMatchObject({ outcome: "live" });
    expect(other.read("..", world.projectId, "current", "data", "own")).toBe("kept");
    expect(other.has("..", world.projectId, "shared", "data", "private")).toBe(false);
  });

  it("is all that a server outside of the project's makes: it serves nothing, and opens only secrets of builds", async () => {
    await world.startAgent();
    const { run, result } = await world.deploy({
      artifact: await makeFor([other], { only: true }),
      shared_paths: ["data"],
      release_command: "exit 1",
      variables: {
        account_id: ids.account(),
        revision: 1,
        deployed: false,
        plain: [],
        secrets: [{ name: "DATABASE_URL", revision: 1, build: false, sealed: null }],
      },
    });
    expect(result).toEqual({ outcome: "built" });
    expect(artifactOf(run).boxes).not.toEqual({});
    expect(eventsOf(run, "ready")).toEqual([]);
    expect(world.current).toBeNull();
    expect(world.has("shared")).toBe(false);
    await expect.poll(() => world.has("releases", "1")).toBe(false);
    expect(world.releases).toEqual([]);
  });

  it("comes before the permit is asked for, and the permit is given after it", async () => {
    await world.startAgent();
    const { run } = await build(world, [other]);
    const types = run.events
      .map(({ type }) => type)
      .filter((type) => type === "artifact" || type === "ready");
    expect(types).toEqual(["artifact", "ready"]);
  });
});

describe("a server that should take a build", () => {
  it.each([
    ["another architecture", { architecture: "riscv64" }, /riscv64 instead of/],
    ["another system", { os: "plan9" }, /plan9 instead of linux/],
    ["another C library", { libc: "musl" }, /musl instead of glibc/],
    ["another folder", { home: "/srv/elsewhere" }, /the folder \/srv\/elsewhere instead of/],
  ])("builds by itself if the build is for %s, and says so", async (_what, change, reason) => {
    await world.startAgent();
    const { artifact } = await build(world, [world]);
    const platform = artifact.platform === null ? null : { ...artifact.platform, ...change };
    const changed = { ...artifact, platform };
    const { run, result } = await world.deploy({
      artifact: { type: "take", artifact: changed, required: false },
    });
    expect(result).toMatchObject({ outcome: "live" });
    expect(messagesOf(run, "system").find((line) => line.includes("building here"))).toMatch(reason);
    const failed = await world.deploy({ artifact: { type: "take", artifact: changed, required: true } });
    expect(failed.result).toMatchObject({
      failure: { code: "artifact_invalid", message: expect.stringMatching(reason) },
    });
  });

  it("builds by itself if the build is for another major version of Node", async () => {
    await world.startAgent();
    const bin = join(other.folder, "bin");
    mkdirSync(bin);
    const script = `#!/bin/sh\n[ "$1" != --version ] || exec echo v18.20.0\nexec ${process.execPath} "$@"\n`;
    writeFileSync(join(bin, "node"), script, { mode: 0o755 });
    await other.startAgent({}, undefined, { ...process.env, PATH: `${bin}:${process.env["PATH"]}` });
    const commands = { build_command: "node -e 1", activate_command: "node -e 1" };
    const { artifact, order } = await build(world, [other], commands);
    const { run, result } = await takeThere(order, { ...take(artifact), source: order.source });
    expect(messagesOf(run)).toContainEqual(
      expect.stringMatching(/^building here .*built with node \d+[.\d]*, and this server has 18\.20\.0$/),
    );
    expect(result, messagesOf(run).join("\n")).toMatchObject({ outcome: "live" });
    const required = await other.deploy({
      ...take(artifact, { required: true }),
      ...commands,
      project_id: world.projectId,
      source: order.source,
    });
    expect(required.result).toMatchObject({ failure: { code: "artifact_invalid" } });
  });

  it("builds by itself without a box for its key, and if the build is no longer stored", async () => {
    await world.startAgent();
    const { artifact } = await build(world, [world]);
    const withoutBox = await world.deploy(take({ ...artifact, boxes: {} }));
    expect(messagesOf(withoutBox.run)).toContainEqual(
      expect.stringMatching(/^building here.*not made for this server's key$/),
    );
    world.control.artifacts.stored.clear();
    const gone = await world.deploy(take(artifact));
    expect(messagesOf(gone.run)).toContainEqual(expect.stringMatching(/^building here/));
    expect([withoutBox.result.outcome, gone.result.outcome]).toEqual(["live", "live"]);
    const required = await world.deploy(take(artifact, { required: true }));
    expect(required.result).toMatchObject({ failure: { code: "artifact_unavailable" } });
    expect(world.current).toBe(`releases/${gone.order.version}`);
  });

  it("builds by itself if its policy limits what is deployed, and accepts a build if the policy says so", async () => {
    await world.startAgent();
    const { artifact } = await build(world, [other, world]);
    other.policy = { repositories: [world.repository.path] };
    await other.startAgent();
    const source = { ...world.source({}).source };
    const here = { project_id: world.projectId, source };
    const refused = await other.deploy({ ...take(artifact), ...here });
    expect(refused.result).toMatchObject({ outcome: "live" });
    expect(messagesOf(refused.run)).toContainEqual(
      expect.stringMatching(/policy \(artifacts\) does not allow a build of another machine/),
    );
    // It has the other's build from before it had its policy.
    await other.deploy({ ...here, keep_releases: [refused.order.version] });
    const record = join(there("releases"), `${refused.order.version}.json`);
    writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, "utf8")), taken: true }));
    const kept = await other.deploy({ reuse_release: refused.order.version, ...here });
    expect(kept.result).toMatchObject({ failure: { code: "refused_by_policy" } });
    const required = await other.deploy({ ...take(artifact, { required: true }), ...here });
    expect(required.result).toMatchObject({ failure: { code: "refused_by_policy" } });
  });

  it("makes no build for others if its policy limits what is deployed: the control plane names their keys", async () => {
    world.policy = { build_commands: "repository" };
    await world.startAgent();
    const refused = await world.deploy({ artifact: await makeFor([other]) });
    expect(refused.result).toMatchObject({
      failure: { code: "refused_by_policy", message: expect.stringContaining("artifacts") },
    });
    expect(world.control.artifacts.stored.size).toBe(0);
  });

  it("uses a release that it still has", async () => {
    await world.startAgent();
    const { artifact, order } = await build(world, [world]);
    await world.deploy({ keep_releases: [order.version] });
    const before = world.control.artifacts.requests.length;
    const { result } = await world.deploy({ reuse_release: order.version, ...take(artifact) });
    expect(result).toMatchObject({ outcome: "live", release: order.version });
    expect(world.control.artifacts.requests).toHaveLength(before);
  });

  it("refuses a build with a link into its agent's home", async () => {
    await world.startAgent();
    await other.startAgent();
    const { artifact, order } = await build(world, [other], {
      build_command: `mkdir dist && echo site > dist/index.html && ln -s ${other.home}/seal.json key`,
      output_directory: "dist",
    });
    const { result } = await takeThere(order, take(artifact));
    expect(result).toMatchObject({
      failure: {
        code: "build_failed",
        message: expect.stringContaining("a symbolic link leads out of the release"),
      },
    });
    expect(other.has("..", world.projectId, "releases", String(order.version))).toBe(false);
  });
});
