import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type AgentProcess, enrollAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { ids, messagesOf, AgentWorld } from "../../agent/support/harness.ts";
import { mountSmallDisk } from "../../agent/support/small-disk.ts";

let world: AgentWorld;
let agent: AgentProcess;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  await enrollAgent(world);
  agent = await spawnRunningAgent(world);
});
afterEach(async () => {
  agent.child.kill("SIGTERM");
  await agent.exited;
  await world.close();
});

async function restart(): Promise<void> {
  agent.child.kill("SIGKILL");
  await agent.exited;
  agent = await spawnRunningAgent(world);
}

describe("a project whose folder is damaged", () => {
  it("is reported without releases, and its deployments fail while other projects continue", async () => {
    const broken = ids.project();
    mkdirSync(join(world.home, "projects", broken), { recursive: true });
    writeFileSync(join(world.home, "projects", broken, "releases"), "not a folder");
    await restart();
    expect(world.control.messages.at(-1)).toMatchObject({
      type: "hello",
      projects: [{ project_id: broken, release: null, releases: [] }],
    });
    expect((await world.deploy({ project_id: broken })).result).toMatchObject({
      outcome: "failed",
      failure: { code: "internal", message: expect.stringMatching(/releases/) },
    });
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});

describe("files in an unfinished release that cannot be removed, such as files of a container", () => {
  it("do not keep the agent from starting, or from reporting and undoing the run", async () => {
    const activate = { activate_command: `echo $GANTRY_VERSION >> ${world.path("activated")}` };
    await world.deploy(activate);
    const mounted = () => [
      world.path("releases/2/a/b/c/d/kept"),
      world.path("tmp/bin-releases-2/a/b/c/d/kept"),
    ];
    const run = world.control.dispatch(
      world.order({
        build_command: "mkdir -p a/b/c/d/kept; until mountpoint -q a/b/c/d/kept; do sleep 0.02; done",
        activate_command: "echo activating; sleep 1000",
        keep_releases: [1],
      }),
    );
    await world.control.waitFor("the build", () => world.has("releases/2/a/b/c/d/kept"));
    // A mount point, which not even root can remove.
    mountSmallDisk(world.path("releases/2/a/b/c/d/kept"), 1024 * 1024);
    world.cleanUps.push(() => {
      for (const path of mounted()) unmount(path);
    });
    await world.control.waitFor("the switch", () => messagesOf(run).includes("activating"));

    await restart();
    expect(await world.control.result(run)).toMatchObject({
      outcome: "failed",
      failure: { code: "server_lost", stage: "activate" },
    });
    expect(world.current).toBe("releases/1");
    expect(world.read("activated")).toBe("1\n1\n");
    expect(world.releases).toEqual([1]);
    expect(agent.output()).toMatch(/leftover files cannot be removed: EBUSY/);
    expect((await world.deploy({ ...activate, keep_releases: [1] })).result.outcome).toBe("live");
    await restart();
    expect(world.current).toBe("releases/3");
  });
});

function unmount(path: string): void {
  const command = ["umount", "-l", path];
  const [program = "", ...args] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  try {
    execFileSync(program, args, { stdio: "ignore" });
  } catch {
    // Nothing is mounted at this path.
  }
}
