import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { exitCodes } from "#agent/main/exit-codes.ts";
import { lockHome } from "#agent/lib/home-lock.ts";

import { resultOf } from "../../../support/fake-control-plane.ts";
import {
  type AgentProcess,
  enrollAgent,
  spawnAgent,
  spawnRunningAgent,
} from "../../../agent/support/agent-process.ts";
import { isAlive, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
let first: AgentProcess;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  await enrollAgent(world);
  first = await spawnRunningAgent(world);
});
afterEach(async () => {
  first.child.kill("SIGKILL");
  await first.exited;
  await world.close();
});

describe("two agents with the credential of one server", () => {
  it("the newer one stays; the older one ends with its runs, prints the reason, and does not return", async () => {
    const run = world.control.dispatch(
      world.order({ build_command: `sleep 1000 & echo $! > ${world.file("pid")}; wait` }),
    );
    const pid = await world.control.waitFor(
      "the build",
      () => existsSync(world.file("pid")) && Number(readFileSync(world.file("pid"), "utf8")),
    );
    // Like a server's disk that was copied to another server.
    const elsewhere = world.file("elsewhere");
    mkdirSync(elsewhere);
    copyFileSync(join(world.home, "agent.json"), join(elsewhere, "agent.json"));
    const second = spawnAgent(["run", "--home", elsewhere]);

    expect(await first.exited).toBe(exitCodes.give_up);
    expect(first.output()).toMatch(
      /Another agent of this server has taken over the link\. Only one can run: stop one of them\./,
    );
    expect(isAlive(pid)).toBe(false);
    expect(resultOf(run)).toMatchObject({ outcome: "failed", failure: { code: "server_lost" } });
    // The older one ends when the newer one connects, which is before the newer one says hello.
    await expect.poll(() => world.control.hellos).toBe(2);
    expect(world.control.isConnected).toBe(true);
    expect((await world.deploy()).result.outcome).toBe("live");
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });

  it("in the same home: the newer one gives up when the older one does not end", async () => {
    expect(await lockHome(world.home, 300, () => undefined)).toEqual({ kind: "held", pid: first.child.pid });
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});

describe("an agent whose server has been enrolled again in the same home", () => {
  it("ends, so that the next start uses the new credential", async () => {
    const path = join(world.home, "agent.json");
    const connection: unknown = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify(Object.assign(Object(connection), { credential: "another" })));
    world.control.closeLink(4003);
    expect(await first.exited).toBe(exitCodes.give_up);
  });
});

describe("an agent whose credential is revoked", () => {
  it("ends with the exit code that says not to restart it", async () => {
    first.child.kill("SIGTERM");
    await first.exited;
    const env = { GANTRY_AGENT_SETTINGS: '{"refusedGiveUpMs":0}' };
    first = await spawnRunningAgent(world, { env });
    world.control.closeLink(4003);
    expect(await first.exited).toBe(exitCodes.give_up);
    expect(first.output()).toMatch(/refuses this server's credential\. Create a new enrolment token/);
  });
});
