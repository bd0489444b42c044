import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openSealKey } from "#agent/secrets/seal-key.ts";
import { FILES, MANIFEST, MENTIONS } from "#build/artifact/manifest.ts";
import { partPath, sealParts } from "#build/artifact/sealed-parts.ts";
import { endOfArchive, flags } from "#build/artifact/tar/header.ts";
import { encodeEntry } from "#build/artifact/tar/pax.ts";
import { textEntry } from "#build/artifact/tar/tree-entries.ts";
import type { RunOrder } from "#contract/agent-order.ts";
import type { Artifact } from "#contract/artifact.ts";
import { sealArtifactKey } from "#sealing/artifact-box.ts";

import { type AgentProcess, enrollAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { build, makeFor, otherServer, take } from "../../agent/support/artifacts.ts";
import { AgentWorld, eventsOf, ids, messagesOf } from "../../agent/support/harness.ts";
import { mountSmallDisk } from "../../agent/support/small-disk.ts";
import { expectWholeProject } from "../../agent/support/whole-project.ts";
import type { PartFault, PartRequest } from "../../support/fake-artifacts.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

/** Two parts, which nothing compresses. */
const LARGE_BYTES = 36_000_000;
const LARGE = `head -c ${LARGE_BYTES} /dev/urandom > large.bin`;

const code = (failed: unknown) => ({ outcome: "failed", failure: expect.objectContaining({ code: failed }) });

describe("a build that another server takes, with a fault on its way", () => {
  it.each<[string, (artifact: Artifact) => Artifact]>([
    [
      "a flipped bit",
      (artifact) => {
        world.control.artifacts.change(1, (content) => flip(content, 1_000));
        return artifact;
      },
    ],
    [
      "a part that is too short",
      (artifact) => {
        world.control.artifacts.change(1, (content) => content.subarray(0, content.length - 1));
        return artifact;
      },
    ],
    ["another hash", (artifact) => rename(artifact)],
    ["another size", (artifact) => ({ ...artifact, bytes: artifact.bytes - 1 })],
  ])("is refused with %s, and the live release stays", async (what, damage) => {
    await world.startAgent();
    const { artifact, order } = await build(world, [world]);
    const short = /short|size/.test(what);
    const { run, result } = await world.deploy({
      ...take(damage(artifact), { required: what === "another hash" }),
      timeouts: { ...order.timeouts, ...(short ? { fetch_seconds: 1 } : {}) },
    });
    // A part of another size is tried again until the time is up: only a cut connection shortens it.
    const expected = what === "another hash" || !short ? "artifact_invalid" : "artifact_unavailable";
    expect(result).toEqual(code(expected));
    expect(world.current).toBe("releases/1");
    await expectWholeProject(world, [run.order.run_id]);
  });

  it("is refused if it is another project's", async () => {
    await world.startAgent();
    const { artifact } = await build(world, [world]);
    const { control, projectId } = world;
    const project_id = ids.project();
    for (const [key, content] of [...control.artifacts.stored])
      control.artifacts.stored.set(key.replace(projectId, project_id), content);
    const { result } = await world.deploy({ ...take(artifact, { required: true }), project_id });
    expect(result).toEqual(code("artifact_invalid"));
  });

  it.each<[string, (request: PartRequest) => PartFault | null]>([
    ["lost requests and cut connections", ({ count }) => (count < 2 ? "cut" : count < 4 ? "lost" : null)],
    ["connections on which nothing moves", ({ count }) => (count < 2 ? "hung" : null)],
    ["lost answers", ({ count }) => (count < 2 ? "answer_lost" : null)],
    [
      "an outage, a proxy in front, and a limit of requests",
      ({ count }) => (count < 3 ? 503 : count < 6 ? "proxy" : count < 8 ? 429 : null),
    ],
  ])("comes through %s", async (_what, faultOf) => {
    await world.startAgent({ transferIdleMs: 2_000 });
    const { artifacts } = world.control;
    artifacts.faultOf = faultOf;
    const { artifact, order, run } = await build(world, [world], { build_command: LARGE });
    expect(artifact.parts).toBe(2);
    expect(messagesOf(run).filter((line) => line.includes("is tried again")).length).toBeGreaterThan(0);
    // Both directions begin with the fault.
    const uploads = artifacts.requests.length;
    artifacts.faultOf = (request) => faultOf({ ...request, count: request.count - uploads });
    const { result } = await world.deploy({ ...take(artifact), build_command: "exit 1" });
    expect(result).toMatchObject({ outcome: "live" });
    const read = (version: number) => readFileSync(world.path("releases", String(version), "large.bin"));
    expect(read(order.version + 1)).toHaveLength(LARGE_BYTES);
    await expectWholeProject(world, []);
  });

  it("fails within the time of its stage if the control plane cannot store or give out builds", async () => {
    await world.startAgent();
    const { artifact, order } = await build(world, [world]);
    world.control.artifacts.faultOf = () => 503;
    const timeouts = { ...order.timeouts, build_seconds: 1, fetch_seconds: 1 };
    const made = await world.deploy({ artifact: await makeFor([world]), timeouts });
    expect(made.result).toEqual(code("artifact_unavailable"));
    expect(made.result).toMatchObject({
      failure: { stage: "build", message: expect.stringContaining("the control plane answered 503") },
    });
    const taken = await world.deploy({ ...take(artifact), timeouts });
    expect(taken.result).toMatchObject({ failure: { code: "artifact_unavailable", stage: "fetch" } });
    expect(world.current).toBe("releases/1");
    await expectWholeProject(world, []);
  });

  it("fails at once if the control plane refuses it", async () => {
    await world.startAgent();
    world.control.artifacts.faultOf = () => 403;
    const { result } = await world.deploy({ artifact: await makeFor([world]) });
    expect(result).toMatchObject({
      failure: { code: "artifact_unavailable", message: expect.stringContaining("It is refused.") },
    });
    expect(world.control.artifacts.requests).toHaveLength(1);
  });

  it("is canceled while it is sent and while it is taken, and leaves nothing", async () => {
    await world.startAgent();
    const first = await build(world, [world]);
    const { artifacts } = world.control;
    for (const artifact of [await makeFor([world]), take(first.artifact).artifact]) {
      artifacts.faultOf = () => 503;
      const asked = artifacts.requests.length;
      const run = world.control.dispatch(world.order(artifact === undefined ? {} : { artifact }));
      await world.control.waitFor("a request", () => artifacts.requests.length > asked);
      world.control.stop(run.order);
      expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
      await expectWholeProject(world, [run.order.run_id]);
    }
    expect(world.current).toBe("releases/1");
  });
});

describe("an agent that is killed", () => {
  let agent: AgentProcess;
  beforeEach(async () => {
    await enrollAgent(world);
    agent = await spawnRunningAgent(world);
  });
  afterEach(async () => {
    agent.child.kill("SIGTERM");
    await agent.exited;
  });

  async function kill(): Promise<void> {
    agent.child.kill("SIGKILL");
    await agent.exited;
  }

  const namesIn = (...parts: string[]) =>
    existsSync(world.path(...parts)) ? readdirSync(world.path(...parts)) : [];

  it.each<[string, () => boolean]>([
    ["packs a build", () => namesIn("tmp", "artifact").length > 0],
    ["sends a build", () => world.control.artifacts.requests.length > 0],
  ])("while it %s leaves nothing of it, and the next deployment makes another", async (_what, isThere) => {
    world.control.artifacts.onPiece = async () => new Promise((resolve) => void setTimeout(resolve, 2));
    const run = world.control.dispatch(
      world.order({ build_command: LARGE, artifact: await makeFor([world]) }),
    );
    await world.control.waitFor("the moment", isThere);
    await kill();
    agent = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toEqual(code("server_lost"));
    await expectWholeProject(world, [run.order.run_id]);
    world.control.artifacts.onPiece = async () => undefined;
    const { run: next } = await build(world, [world]);
    expect(eventsOf(next, "artifact")).toHaveLength(1);
  });

  it("while it downloads a build gets only the other parts when it takes the same build again", async () => {
    const { artifact } = await build(world, [world], { build_command: LARGE });
    const { artifacts } = world.control;
    const uploads = artifacts.requests.length;
    // The first part never comes.
    artifacts.faultOf = ({ part }) => (part === 1 ? "cut" : null);
    const isDownloaded = () => namesIn("artifacts", artifact.sha256).includes("2");
    const run = world.control.dispatch(world.order({ ...take(artifact), build_command: "exit 1" }));
    await world.control.waitFor("the second part", isDownloaded);
    await kill();
    artifacts.faultOf = () => null;
    agent = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toEqual(code("server_lost"));
    expect(world.current).toBe("releases/1");
    const before = artifacts.requests.length;
    expect(before).toBeGreaterThan(uploads);
    const { result } = await world.deploy({ ...take(artifact), build_command: "exit 1" });
    expect(result).toMatchObject({ outcome: "live" });
    expect(artifacts.requests.slice(before).map(({ part }) => part)).toEqual([1]);
    await expectWholeProject(world, []);
  });

  it("while it unpacks a build leaves no release of it", async () => {
    const { artifact, order } = await build(world, [world], {
      build_command: `${LARGE}; seq 20000 | split -l 1 -a 4 -`,
    });
    const run = world.control.dispatch(world.order({ ...take(artifact), build_command: "exit 1" }));
    await world.control.waitFor(
      "some files",
      () => namesIn("releases", String(order.version + 1)).length > 0,
    );
    await kill();
    agent = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toEqual(code("server_lost"));
    expect(world.current).toBe("releases/1");
    const { result } = await world.deploy({ ...take(artifact), build_command: "exit 1" });
    expect(result).toMatchObject({ outcome: "live" });
    await expectWholeProject(world, [run.order.run_id]);
  });
});

describe("a disk without room", () => {
  it("is not filled with a build: the deployment fails before, and the live release stays", async () => {
    const small = await otherServer(world);
    const disk = mountSmallDisk(small.home, 24 * 1024 * 1024);
    small.cleanUps.push(() => disk.unmount());
    await world.startAgent();
    await small.startAgent();
    small.repository.commit({ "index.html": "one" });
    await small.deploy({ project_id: world.projectId });
    // It is small as long as it is packed.
    const zeros = await build(world, [small], { build_command: "seq 9000000 > numbers" });
    const random = await build(world, [small], { build_command: "head -c 30000000 /dev/urandom > random" });
    for (const { artifact } of [zeros, random]) {
      const { freeBytes } = disk;
      const order = { ...small.order(take(artifact)), project_id: world.projectId, build_command: "exit 1" };
      const run = small.control.dispatch(order);
      const result = await small.control.result(run);
      expect(result).toEqual(code("disk_full"));
      expect(result).toMatchObject({
        failure: { message: expect.stringMatching(/takes \d+ MiB, and \d+ MiB are free/) },
      });
      expect(disk.freeBytes).toBeGreaterThan(freeBytes - 200_000);
      expect(small.current).toBe(null);
    }
    await small.close();
  });
});

describe("a hostile build", () => {
  const manifest = (change: Record<string, unknown> = {}) =>
    textEntry(
      MANIFEST,
      JSON.stringify({
        format: 1,
        entries: 1,
        bytes: 1,
        disk_bytes: 1,
        path: null,
        commit: null,
        release: null,
        ...change,
      }),
    );
  const page = textEntry(`${FILES}index.html`, "hostile");
  const mentions = (paths: readonly string[] = []) => textEntry(MENTIONS, JSON.stringify(paths));
  const entry = (path: string, flag: string, target = "") =>
    encodeEntry({ path, flag, target, mode: 0o644, size: 0, mtime: 0 });

  /** Encrypts an archive for the world's server, as a builder could that does not keep to the form. */
  async function seal(...pieces: readonly Buffer[]): Promise<Artifact> {
    const { projectId, home, control } = world;
    const folder = join(world.folder, "parts");
    mkdirSync(folder);
    const key = randomBytes(32);
    const archive = Readable.from([Buffer.concat([...pieces, endOfArchive()])]);
    const signal = new AbortController().signal;
    const sealed = await sealParts(archive, {
      folder,
      key,
      projectId,
      signal,
      beforePart: async () => undefined,
    });
    for (let part = 1; part <= sealed.parts; part += 1)
      control.artifacts.stored.set(
        `${projectId}/${sealed.sha256}/${part}`,
        readFileSync(partPath(folder, part)),
      );
    const opened = await openSealKey(home);
    if (!opened.ok) throw new Error(opened.message);
    const keys = [opened.value.shown.public_key];
    const boxes = await sealArtifactKey(keys, { projectId, sha256: sealed.sha256 }, new Uint8Array(key));
    return { ...sealed, platform: null, boxes: boxes ?? {} };
  }

  const other = "a".repeat(40);
  it.each<[string, readonly Buffer[], Partial<RunOrder>?]>([
    [
      "writes outside of its folder",
      [manifest(), page, entry(`${FILES}../../outside`, flags.file), mentions()],
    ],
    ["writes into the project's folder", [manifest(), page, entry("../2.json", flags.file), mentions()]],
    [
      "writes through a link",
      [
        manifest(),
        page,
        entry(`${FILES}out`, flags.link, "../.."),
        entry(`${FILES}out/x`, flags.file),
        mentions(),
      ],
    ],
    [
      "links to a file of the server",
      [manifest(), page, entry(`${FILES}x`, flags.hard_link, "/etc/passwd"), mentions()],
    ],
    ["has a device", [manifest(), page, entry(`${FILES}tty`, "3"), mentions()]],
    ["has no manifest", [page, mentions()]],
    ["has a manifest of another version", [manifest({ format: 2 }), page, mentions()]],
    ["ends too early", [manifest(), page]],
    [
      "changes files that it does not have",
      [manifest({ path: "/x" }), page, mentions(["../../../seal.json"])],
    ],
    ["says it is another commit", [manifest({ commit: { sha: other, message: "" } }), page, mentions()]],
    [
      "describes a release that cannot be",
      [manifest({ release: { root_directory: "../.." } }), page, mentions()],
    ],
  ])("is refused if it %s", async (_what, pieces) => {
    await world.startAgent();
    const { run: first } = await world.deploy();
    const [resolved] = eventsOf(first, "resolved");
    const commit = resolved?.commit_sha ?? null;
    const { run, result } = await world.deploy({
      ...take(await seal(...pieces), { required: true }),
      ...world.source({ commit }),
    });
    expect(result).toEqual(code("artifact_invalid"));
    expect(world.current).toBe("releases/1");
    expect(existsSync(join(world.home, "projects", "outside"))).toBe(false);
    await expectWholeProject(world, [run.order.run_id]);
  });

  it("cannot publish files of the server by a link", async () => {
    await world.startAgent();
    const artifact = await seal(
      manifest(),
      page,
      entry(`${FILES}key.html`, flags.link, join(world.home, "seal.json")),
      mentions(),
    );
    const { result } = await world.deploy({
      ...take(artifact, { required: true }),
      ...world.source({ commit: other }),
    });
    expect(result).toMatchObject({
      failure: { message: expect.stringContaining("leads out of the release") },
    });
  });

  it("would be used if it kept to the form", async () => {
    const artifact = await seal(manifest(), page, mentions());
    await world.startAgent();
    const { result } = await world.deploy({
      ...take(artifact, { required: true }),
      ...world.source({ commit: other }),
    });
    expect(result).toMatchObject({ outcome: "live" });
    expect(world.read("current", "index.html")).toBe("hostile");
  });
});

function flip(content: Buffer, at: number): Buffer {
  const copy = Buffer.from(content);
  const place = Math.min(at, copy.length - 1);
  copy[place] = (copy[place] ?? 0) ^ 1;
  return copy;
}

/** The same parts under another name, with the boxes for the old one. */
function rename(artifact: Artifact): Artifact {
  const sha256 = "0".repeat(64);
  const { stored } = world.control.artifacts;
  for (const [key, content] of [...stored]) stored.set(key.replace(artifact.sha256, sha256), content);
  return { ...artifact, sha256 };
}
