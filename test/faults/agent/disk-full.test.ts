import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { slotFiles, writeSlots } from "#agent/ingress/slots.ts";
import { holderOf } from "#agent/lib/home-lock.ts";
import { exitCodes } from "#agent/main/exit-codes.ts";
import type { RunOrder } from "#contract/agent-order.ts";

import { enrollAgent, spawnAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { eventsOf, messagesOf, AgentWorld } from "../../agent/support/harness.ts";
import { mountSmallDisk, type SmallDisk } from "../../agent/support/small-disk.ts";
import { expectWholeProject } from "../../agent/support/whole-project.ts";

const MIB = 1024 * 1024;
let world: AgentWorld;
let disk: SmallDisk;
beforeEach(async () => {
  world = await AgentWorld.create();
  disk = mountSmallDisk(world.home, 24 * MIB);
  world.cleanUps.push(() => disk.unmount());
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

type Case = {
  readonly stage: "fetch" | "build" | "activate" | "verify";
  /** The bytes left free when the deployment begins. */
  readonly bytesLeft: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly order?: Partial<RunOrder>;
};

/** The disk becomes full while … */
const cases: Readonly<Record<string, Case>> = {
  "the run is noted": { stage: "fetch", bytesLeft: 0 },
  "the commit is fetched": {
    stage: "fetch",
    bytesLeft: 2 * MIB,
    files: { "large.bin": randomBytes(3 * MIB).toString("base64") },
  },
  "the files are written": {
    stage: "fetch",
    bytesLeft: 3 * MIB,
    files: { "large.txt": "gantry".repeat(MIB) },
  },
  "a build command writes, and says so": {
    stage: "build",
    bytesLeft: 3 * MIB,
    order: { build_command: "head -c 5000000 /dev/zero > big; code=$?; rm big; exit $code" },
  },
  "a build command writes, and says nothing": {
    stage: "build",
    bytesLeft: 3 * MIB,
    order: { build_command: "head -c 5000000 /dev/zero > big 2> /dev/null" },
  },
  "the release is completed after a build that left no room": {
    stage: "build",
    bytesLeft: 3 * MIB,
    order: {
      build_command: "head -c 5000000 /dev/zero > big 2> /dev/null; true",
      shared_paths: ["data/a", "data/b"],
    },
  },
  "an activate command writes, and fails": {
    stage: "activate",
    bytesLeft: 3 * MIB,
    order: { activate_command: "head -c 5000000 /dev/zero > big" },
  },
  "an activate command writes, and does not care": {
    stage: "verify",
    bytesLeft: 3 * MIB,
    order: { activate_command: "head -c 5000000 /dev/zero > big 2> /dev/null; true" },
  },
};

describe("a disk that becomes full while", () => {
  it.each(Object.entries(cases))(
    "%s: the deployment fails as disk_full, the live release stays, and all space is freed",
    async (_name, { stage, bytesLeft, files = {}, order = {} }) => {
      await world.startAgent();
      await world.deploy();
      await expectWholeProject(world, []);
      world.repository.commit({ "index.html": "two", ...files });
      disk.fill(bytesLeft);
      const { freeBytes } = disk;

      const { run, result } = await world.deploy({ keep_releases: [1], ...order });
      expect(result).toMatchObject({
        outcome: "failed",
        failure: {
          code: "disk_full",
          stage,
          message: expect.stringMatching(/the disk is full|no space/i),
          hint: expect.stringMatching(/^Free some space on the server.+`df -i`/),
        },
      });
      expect(eventsOf(run, "result")).toHaveLength(1);
      expect(world.current).toBe("releases/1");
      expect(world.read("current", "index.html")).toBe("one");
      await expectWholeProject(world, [run.order.run_id]);
      // A fetched commit stays in the mirror. Its pack is small in the cases where the files did not fit.
      expect(disk.freeBytes).toBeGreaterThanOrEqual(freeBytes - 100_000);

      disk.clear();
      const next = await world.deploy({ keep_releases: [1] });
      expect(next.result.outcome).toBe("live");
      expect(world.read("current", "index.html")).toBe("two");
    },
  );
});

describe("a disk that is full", () => {
  it("does not keep the slots of an app from leading back", async () => {
    const slots = join(world.home, "slots");
    await writeSlots(slots, world.projectId, ["127.0.0.1:20001"]);
    disk.fill(0);
    await writeSlots(slots, world.projectId, ["127.0.0.1:20002"]);
    const files = slotFiles(slots, world.projectId);
    const read = files.slots.map((path) => readFileSync(path, "utf8"));
    expect(new Set(read)).toEqual(new Set(["127.0.0.1:20002"]));
  });
});

describe("a disk that is full while the control plane is unreachable", () => {
  it("keeps output in memory, pauses the build, and loses no line", async () => {
    await world.startAgent({ spillMs: 30, maxMemoryBytes: 500_000 });
    const go = join(world.folder, "go");
    const run = world.control.dispatch(
      world.order({ build_command: `echo begun; until [ -e ${go} ]; do sleep 0.02; done; seq 1 100000` }),
    );
    await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
    disk.fill(0);
    world.control.faultOf = () => "lost";
    writeFileSync(go, "");
    const { posts } = run;
    // Much more than the pipes and the memory hold, so the build blocks in the middle of it.
    await world.control.waitFor("some tries", () => run.posts > posts + 10);
    disk.clear();
    await world.control.waitFor("more tries", () => run.posts > posts + 20);
    world.control.faultOf = () => null;
    expect(await world.control.result(run, 50_000)).toMatchObject({ outcome: "live" });
    const numbers = messagesOf(run, "stdout").slice(1);
    expect(numbers).toEqual(Array.from({ length: 100_000 }, (_, index) => String(index + 1)));
    await expectWholeProject(world, [run.order.run_id]);
  });
});

describe("a release that should be live, on a disk that is read-only", () => {
  it("cannot be restored: the agent logs that once, and reports no change", async () => {
    await world.startAgent({ statusMs: 40 });
    await world.deploy();
    await world.deploy({ keep_releases: [1] });
    disk.setReadOnly(true);
    const isFailure = (line: string) => /could not switch to release 1/.test(line);
    const servings = () => world.control.messages.filter(({ type }) => type === "serving");
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await world.control.waitFor("the log line", () => world.logLines.some(isFailure));
    // The control plane does this whenever the agent reports that it serves another release.
    let asked = 0;
    const { length } = world.control.messages;
    await world.control.waitFor("some statuses", () => {
      for (; asked < servings().length; asked += 1)
        world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
      return world.control.messages.slice(length).filter(({ type }) => type === "status").length > 5;
    });
    expect(servings()).toEqual([]);
    expect(world.logLines.filter(isFailure)).toHaveLength(1);
    expect(world.current).toBe("releases/2");
    disk.setReadOnly(false);
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await world.control.waitFor("the serving message", () => servings().length === 1);
    expect(world.current).toBe("releases/1");
  });
});

describe("a disk that becomes read-only, for example after an error", () => {
  it("during a build fails the deployment, and the agent continues", async () => {
    const agent = await world.startAgent();
    await world.deploy();
    const go = join(world.folder, "go");
    const run = world.control.dispatch(
      world.order({
        build_command: `echo begun; until [ -e ${go} ]; do sleep 0.02; done`,
        keep_releases: [1],
      }),
    );
    await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
    disk.setReadOnly(true);
    writeFileSync(go, "");
    expect(await world.control.result(run)).toMatchObject({
      outcome: "failed",
      failure: { code: "internal", message: expect.stringMatching(/read-only file system/) },
    });
    const second = await world.deploy({ keep_releases: [1] });
    expect(second.result).toMatchObject({ outcome: "failed", failure: { code: "internal" } });
    disk.setReadOnly(false);
    expect((await world.deploy({ keep_releases: [1] })).result.outcome).toBe("live");
    // The next start removes the files that could not be removed then.
    await agent.stop();
    await world.startAgent();
    await expectWholeProject(world, [run.order.run_id]);
  });
});

describe("a disk that is read-only when the agent starts", () => {
  it("is named as the reason, and the exit code allows the service to start the agent again", async () => {
    await enrollAgent(world);
    disk.setReadOnly(true);
    const agent = spawnAgent(["run", "--home", world.home]);
    expect(await agent.exited).toBe(exitCodes.failed);
    expect(agent.output()).toMatch(
      /does not start, because it cannot write to .+: EROFS: read-only file system/,
    );
    expect(agent.output()).not.toContain("    at ");
    disk.setReadOnly(false);
  });
});

describe("a disk that is full when the agent starts after it was killed", () => {
  it("in a build does not keep the run from being reported, and a project can be removed to free space", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    await world.deploy();
    const run = world.control.dispatch(
      world.order({ build_command: "echo begun; sleep 1000", keep_releases: [1] }),
    );
    await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
    first.child.kill("SIGKILL");
    await first.exited;
    disk.fill(0);

    const second = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toMatchObject({
      outcome: "failed",
      failure: { code: "server_lost", stage: "build" },
    });
    expect(world.read("current", "index.html")).toBe("one");
    await expectWholeProject(world, [run.order.run_id]);
    expect(await holderOf(world.home)).toBe(second.child.pid);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: true });
    await world.control.waitFor(
      "the removal",
      () => world.control.messages.at(-1)?.type === "project_removed",
    );
    expect(world.has()).toBe(false);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });

  it("before a result was stored does not keep it from being delivered", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    world.control.faultOf = ({ events }) => (events.some(({ type }) => type === "result") ? "lost" : null);
    const run = world.control.dispatch(world.order());
    await world.control.waitFor(
      "the decision",
      () => world.has("run.json") && /"decided"/.test(world.read("run.json")),
    );
    first.child.kill("SIGKILL");
    await first.exited;
    disk.fill(0);
    world.control.faultOf = () => null;

    const second = await spawnRunningAgent(world);
    expect((await world.control.result(run)).outcome).toBe("live");
    await expectWholeProject(world, [run.order.run_id]);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });
});
