import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { cachesSize } from "#agent/cache/caches-size.ts";
import type { RunOrder } from "#contract/agent-order.ts";

import { ids, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import { writePackage } from "../../../agent/support/npm-package.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

/** The build writes into the dependencies that it got. */
const build = "cat node_modules/lib/text > text.txt; echo changed >> node_modules/lib/text";

/** @returns what the release has of the package, and the log lines about the installation */
async function deploy(change: Partial<RunOrder> = {}) {
  const { run, result, order } = await world.deploy({
    install_command: "npm ci",
    build_command: build,
    keep_releases: world.releases.slice(),
    ...change,
  });
  expect(result.outcome).toBe("live");
  const log = messagesOf(run, "system");
  return {
    text: world.read(`releases/${order.version}/text.txt`),
    isInstalled: log.includes("running npm ci"),
    log: log.join("\n"),
  };
}

const cacheNames = () => (world.has("cache") ? readdirSync(world.path("cache")).toSorted() : []);

describe("the dependencies of a project", () => {
  beforeEach(() => {
    writePackage(world.repository.path, "one\n");
    world.repository.commit({ "index.html": "one" });
  });

  it("are restored while the lock file is unchanged, and no build changes what another release has", async () => {
    await world.startAgent();
    const first = await deploy();
    expect(first).toMatchObject({ text: "one\n", isInstalled: true });
    expect(first.log).toMatch(/kept the dependencies for later deployments \([\d.]+ MiB in [\d.]+ s\)/);
    world.repository.commit({ "index.html": "two" });
    const second = await deploy();
    expect(second).toMatchObject({ text: "one\n", isInstalled: false });
    expect(second.log).toMatch(
      /restored the dependencies of release 1 \(.*\): package-lock.json is unchanged, so nothing is installed/,
    );
    expect(await deploy()).toMatchObject({ text: "one\n", isInstalled: false });
    for (const version of [1, 2, 3])
      expect(world.read(`releases/${version}/node_modules/lib/text`)).toBe("one\nchanged\n");

    writePackage(world.repository.path, "another\n");
    world.repository.commit({});
    const changed = await deploy();
    expect(changed).toMatchObject({ text: "another\n", isInstalled: true });
    expect(changed.log).toContain("none of the kept dependencies are restored: ");
    expect(cacheNames()).toEqual(["dependencies-1", "dependencies-4"]);
    expect(await cachesSize(world.home)).toBeGreaterThan(0);
  });

  it("are restored from the project's branch, and never from another one", async () => {
    world.repository.git("branch", "next");
    await world.startAgent();
    const main = { cache: { clear: false, default_branch: "main" } };
    const next = { ...main, ...world.source({ branch: "next" }) };
    expect(await deploy(next)).toMatchObject({ isInstalled: true });
    expect(await deploy(main)).toMatchObject({ isInstalled: true });
    expect((await deploy(main)).log).toContain("restored the dependencies of release 2");
    expect((await deploy(next)).log).toContain("restored the dependencies of release 1");
    const other = { ...main, ...world.source({ branch: "other" }) };
    world.repository.git("branch", "other");
    expect((await deploy(other)).log).toContain("restored the dependencies of release 2");
  });

  it("are installed by a deployment that clears the cache, also if its order comes twice", async () => {
    await world.startAgent();
    await deploy();
    const cleared = { cache: { clear: true, default_branch: "main" } };
    for (const version of [2, 3]) {
      const { log, isInstalled } = await deploy(cleared);
      expect(isInstalled).toBe(true);
      expect(log).toContain("cleared the cache");
      await expect.poll(cacheNames).toEqual([`dependencies-${version}`]);
    }
    expect(await deploy()).toMatchObject({ isInstalled: false });
  });

  it("are installed again if a variable of builds changes, and if they are damaged in the cache", async () => {
    await world.startAgent();
    await deploy();
    const variables = {
      ...{ account_id: ids.account(), revision: 1, deployed: false, secrets: [] },
      plain: [{ name: "NODE_ENV", value: "production" }],
    };
    expect(await deploy({ variables })).toMatchObject({ isInstalled: true });
    rmSync(world.path("cache/dependencies-1/files/node_modules"), { recursive: true });
    const { log, isInstalled, text } = await deploy();
    expect({ isInstalled, text }).toEqual({ isInstalled: true, text: "one\n" });
    expect(log).toContain("the kept dependencies cannot be restored: the copy ended with exit code 1");
    expect(await deploy()).toMatchObject({ isInstalled: false });
  });

  it("are not kept if they have links into their release", async () => {
    writePackage(world.repository.path, "one\n", { postinstall: "ln -s $PWD/index.html node_modules/link" });
    world.repository.commit({});
    await world.startAgent();
    const { log } = await deploy();
    expect(log).toMatch(/the dependencies cannot be kept for later deployments: .* -> \/.*\/1\/index.html/);
    expect(cacheNames()).toEqual([]);
  });

  it("get the scripts of the project after they were restored, and this release's path", async () => {
    const postinstall =
      "[ -e node_modules/path ] || echo $PWD/x > node_modules/path; echo $GANTRY_VERSION >> node_modules/versions";
    writePackage(world.repository.path, "one\n", { postinstall });
    world.repository.commit({});
    await world.startAgent();
    await deploy();
    const { log, isInstalled } = await deploy();
    expect(isInstalled).toBe(false);
    expect(log).toContain("running npm run postinstall");
    expect(world.read("current/node_modules/versions")).toBe("1\n2\n");
    expect(world.read("current/node_modules/path")).toBe(`${world.path("releases/2")}/x\n`);
  });

  it("get no scripts of a project that turns them off", async () => {
    writePackage(world.repository.path, "one\n", { postinstall: "touch node_modules/scripts-ran" });
    world.repository.commit({ ".npmrc": "ignore-scripts = true\n" });
    await world.startAgent();
    await deploy();
    await deploy();
    expect(world.has("releases/2/node_modules/scripts-ran")).toBe(false);
  });

  it("are not kept if the list of the cache cannot be written, and the deployment is live anyway", async () => {
    mkdirSync(world.path("cache.json"), { recursive: true });
    await world.startAgent();
    const { log } = await deploy();
    expect(log).toContain("the dependencies cannot be kept for later deployments: EISDIR");
    await expect.poll(cacheNames).toEqual([]);
  });

  it("are not kept if the server's policy allows no cache", async () => {
    world.policy = { cache_mb: 0 };
    await world.startAgent();
    await deploy();
    expect(await deploy()).toMatchObject({ isInstalled: true });
    expect(cacheNames()).toEqual([]);
  });

  it("are removed with the project's releases, and what an ended agent left unfinished is never used", async () => {
    const agent = await world.startAgent();
    await deploy();
    await agent.stop();
    for (const name of ["dependencies-7.part", "dependencies-8"]) {
      mkdirSync(world.path("cache", name, "files"), { recursive: true });
      writeFileSync(world.path("cache", name, "texts"), "");
    }
    await world.startAgent();
    expect(cacheNames()).toEqual(["dependencies-1"]);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await expect.poll(() => world.current).toBe(null);
    await expect.poll(cacheNames).toEqual([]);
  });
});

describe("what a build keeps for the next one", () => {
  const writes = {
    framework: "eleventy",
    build_command: "mkdir -p .cache; echo $GANTRY_VERSION >> .cache/log; cp .cache/log text.txt",
  };

  it("is restored for the same branch, or else from the project's branch", async () => {
    world.repository.commit({ "index.html": "one" });
    world.repository.git("branch", "next");
    await world.startAgent();
    const main = { ...writes, install_command: null, cache: { clear: false, default_branch: "main" } };
    const next = { ...main, ...world.source({ branch: "next" }) };
    expect((await deploy(main)).text).toBe("1\n");
    expect((await deploy(next)).text).toBe("1\n2\n");
    const third = await deploy(main);
    expect(third.text).toBe("1\n3\n");
    expect(third.log).toMatch(/restored `.cache` of release 1 \(.* MiB in .* s\)/);
    expect((await deploy(next)).text).toBe("1\n2\n4\n");
    await expect.poll(cacheNames).toEqual(["build-3", "build-4"]);
  });

  it("is not touched if the repository has the folder itself, and not kept after a failed build", async () => {
    await world.startAgent();
    world.repository.commit({ "index.html": "one" });
    const failing = await world.deploy({ ...writes, build_command: `${writes.build_command}; false` });
    expect(failing.result.outcome).toBe("failed");
    world.repository.commit({ ".cache/log": "committed\n" });
    expect((await deploy({ ...writes, install_command: null })).text).toBe("committed\n2\n");
    expect(cacheNames()).toEqual([]);
  });
});
