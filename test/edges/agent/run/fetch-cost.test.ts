import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { findProgram } from "#build/tools/find-program.ts";

import { type Forge, openForge } from "../../../agent/support/forge.ts";
import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import { createRepository, type TestRepository } from "../../../agent/support/repository.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

/** Refs of three kinds to the branch's commit, without a process for each. */
function addRefs(repository: TestRepository, count: number): void {
  const sha = repository.git("rev-parse", "main");
  const lines = Array.from({ length: count }, (_, at) =>
    [`refs/heads/topic-${at}`, `refs/pull/${at}/head`, `refs/tags/build-${at}`].map((ref) => `${sha} ${ref}`),
  );
  writeFileSync(
    join(repository.path, ".git/packed-refs"),
    `# pack-refs with: sorted \n${lines.flat().toSorted(byRef).join("\n")}\n`,
  );
}

const byRef = (one: string, other: string) => (one.slice(41) < other.slice(41) ? -1 : 1);

/** What a deployment makes the repository's server send. */
async function costOf(forge: Forge, branch: string) {
  const [bytes, connections] = [forge.bytesSent(), forge.connections()];
  const { result, run } = await world.deploy(world.source({ repository: forge.url, branch }));
  expect(result.outcome).toBe("live");
  return {
    bytes: forge.bytesSent() - bytes,
    connections: forge.connections() - connections,
    errors: messagesOf(run, "stderr"),
  };
}

describe("a deployment of a branch or tag, from a repository with thousands of refs", () => {
  it("is sent only the ref that it asks for, also when nothing has changed", async () => {
    addRefs(world.repository, 3_000);
    const forge = openForge(world.folder, world.repository);
    await world.startAgent({}, undefined, forge.environment);
    for (const text of ["two", "three", null]) {
      if (text !== null) world.repository.commit({ "index.html": text });
      const cost = await costOf(forge, "main");
      expect(cost).toMatchObject({ connections: 1, errors: [] });
      // One name of 9,000 takes more than 50 bytes.
      expect(cost.bytes).toBeLessThan(4_000);
    }
    expect(world.read("current/index.html")).toBe("three");
    const tag = await costOf(forge, "build-2999");
    expect(tag).toMatchObject({ connections: 2, errors: [] });
    expect(tag.bytes).toBeLessThan(4_000);
  });
});

describe("the git processes of a deployment", () => {
  /** An environment in which a program notes how the agent starts git. */
  async function countGit() {
    const folder = join(world.folder, "bin");
    const notes = join(folder, "notes");
    mkdirSync(folder);
    const path = process.env["PATH"] ?? "";
    const program = join(folder, "git");
    const real = (await findProgram("git", path))?.file ?? "";
    writeFileSync(program, `#!/bin/sh\necho "$*" >>${notes}\nexec ${real} "$@"\n`);
    chmodSync(program, 0o755);
    return {
      environment: { ...process.env, PATH: `${folder}:${path}` },
      drain() {
        const lines = existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : [];
        rmSync(notes, { force: true });
        return lines.flatMap(
          (line) => /(?:^| )(fetch|log|ls-files|ls-remote|read-tree)(?: |$)/.exec(line)?.[1] ?? [],
        );
      },
    };
  }

  it("are one for the fetch, one for the commit and one for its files", async () => {
    const counted = await countGit();
    await world.startAgent({}, undefined, counted.environment);
    await world.deploy();
    counted.drain();
    world.repository.commit({ "index.html": "two", "styles/main.css": "" });
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(counted.drain().toSorted()).toEqual(["fetch", "log", "read-tree"]);
  });

  it("are the same with SHA-256 hashes, from the second deployment on", async () => {
    const modern = createRepository(join(world.folder, "modern"), ["--object-format=sha256"]);
    const source = world.source({ repository: modern.path });
    modern.commit({ "index.html": "one" });
    const counted = await countGit();
    await world.startAgent({}, undefined, counted.environment);
    expect((await world.deploy(source)).result.outcome).toBe("live");
    counted.drain();
    modern.commit({ "index.html": "two" });
    expect((await world.deploy(source)).result.outcome).toBe("live");
    expect(world.read("current/index.html")).toBe("two");
    expect(counted.drain().toSorted()).toEqual(["fetch", "log", "read-tree"]);
  });
});

describe("a repository that changes between two deployments", () => {
  it("can have a branch where a tag was deployed, and the branch is deployed then", async () => {
    world.repository.git("tag", "v1");
    await world.startAgent();
    await world.deploy(world.source({ branch: "v1" }));
    world.repository.git("checkout", "--quiet", "-b", "v1");
    world.repository.commit({ "index.html": "branch" });
    await world.deploy(world.source({ branch: "v1" }));
    expect(world.read("current/index.html")).toBe("branch");
  });

  it("can be replaced by one with other hashes, in both directions", async () => {
    const modern = createRepository(join(world.folder, "modern"), ["--object-format=sha256"]);
    modern.commit({ "index.html": "modern" });
    await world.startAgent();
    for (const [repository, text] of [
      [world.repository.path, "one"],
      [modern.path, "modern"],
      [world.repository.path, "one"],
    ] as const) {
      expect((await world.deploy(world.source({ repository }))).result.outcome).toBe("live");
      expect(world.read("current/index.html")).toBe(text);
    }
  });

  it("can have another history on the branch, which is deployed", async () => {
    await world.startAgent();
    await world.deploy();
    world.repository.git("checkout", "--quiet", "--orphan", "other");
    world.repository.commit({ "index.html": "rewritten" });
    world.repository.git("branch", "--force", "main");
    await world.deploy();
    expect(world.read("current/index.html")).toBe("rewritten");
  });
});

describe("a tag that is not of a commit", () => {
  it("fails the deployment, and the failure says so", async () => {
    world.repository.git("tag", "tree", "main^{tree}");
    await world.startAgent();
    const { result } = await world.deploy(world.source({ branch: "tree" }));
    expect(result).toMatchObject({
      failure: {
        code: "ref_not_found",
        message: expect.stringMatching(/^`tree` in .* does not point to a commit$/),
      },
    });
    expect(world.has("releases/1")).toBe(false);
  });
});
