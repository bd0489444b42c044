import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { exitCodes } from "#agent/main/exit-codes.ts";
import { bootId } from "#build/process/process-table.ts";
import { resultOf } from "../../../support/fake-control-plane.ts";
import { enrollAgent, spawnAgent, spawnRunningAgent } from "../../../agent/support/agent-process.ts";
import { isAlive, AgentWorld } from "../../../agent/support/harness.ts";
import { runningInstances, smallApp, smallWeb } from "../../../agent/support/small-app.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const noted = (name: string) => join(world.folder, name);
const pidOf = (name: string) => Number(readFileSync(noted(name), "utf8"));
const waitForPid = (name: string) =>
  world.control.waitFor(`the pid in ${name}`, () => existsSync(noted(name)) && pidOf(name));

describe("gantry-agent enroll", () => {
  it("exchanges the token for a credential that only this user can read", async () => {
    const agent = await enrollAgent(world);
    expect(await agent.exited).toBe(0);
    const path = join(world.home, "agent.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      url: world.control.url,
      server_id: world.control.serverId,
      credential: world.control.credential,
    });
    expect(agent.output()).not.toContain(world.control.credential);
  });

  it("prints a remedy for a refused token", async () => {
    world.control.enrolmentToken = "another";
    const agent = spawnAgent(
      ["enroll", "--url", world.control.url, "--token", "spent", "--home", world.home],
      {},
    );
    expect(await agent.exited).toBe(exitCodes.token_refused);
    expect(agent.output()).toMatch(/refused the enrolment: The enrolment token is unknown/);
    expect(agent.output()).toMatch(/Create a new one for the server/);
    expect(existsSync(join(world.home, "agent.json"))).toBe(false);
  });
});

describe("gantry-agent run, enrolled over plain HTTP", () => {
  it("does not send its credential, and prints that the server must be enrolled again", async () => {
    const connection = {
      url: "http://gantry.example.com",
      server_id: world.control.serverId,
      credential: world.control.credential,
    };
    mkdirSync(world.home, { recursive: true });
    writeFileSync(join(world.home, "agent.json"), JSON.stringify(connection));
    const agent = spawnAgent(["run", "--home", world.home], {});
    expect(await agent.exited).toBe(exitCodes.give_up);
    expect(agent.output()).toMatch(/http:\/\/gantry\.example\.com is plain HTTP.*Enrol this server again/);
  });
});

describe("an enrolment that fails partway", () => {
  const left = () => readdirSync(world.home).toSorted();

  it("is completed with the same token when the answer was lost", async () => {
    world.control.losesEnrolment = true;
    expect(await (await enrollAgent(world)).exited).toBe(exitCodes.unreachable);
    expect(left()).toEqual(["enrolling.json"]);
    expect(statSync(join(world.home, "enrolling.json")).mode & 0o777).toBe(0o600);
    world.control.losesEnrolment = false;
    expect(await (await enrollAgent(world)).exited).toBe(0);
    expect(left()).toEqual(["agent.json", "seal.json"]);
  });

  it("is completed with the same token when the credential could not be written", async () => {
    mkdirSync(join(world.home, "agent.json"), { recursive: true });
    const failed = await enrollAgent(world);
    expect(await failed.exited).toBe(exitCodes.failed);
    expect(failed.output()).toMatch(
      /agent\.json cannot be written, but the token works again from this home folder/,
    );
    rmdirSync(join(world.home, "agent.json"));
    expect(await (await enrollAgent(world)).exited).toBe(0);
    expect(left()).toEqual(["agent.json", "seal.json"]);
  });

  it("does not use the token when the home is not writable", async () => {
    writeFileSync(world.home, "in the way of the folder");
    const failed = await enrollAgent(world);
    expect(await failed.exited).toBe(exitCodes.failed);
    expect(failed.output()).toMatch(/is not writable, so the token was not used/);
    rmSync(world.home);
    expect(await (await enrollAgent(world)).exited).toBe(0);
  });

  it("leaves no file when the token is refused", async () => {
    world.control.enrolmentToken = "another";
    const { control, home } = world;
    await spawnAgent(["enroll", "--url", control.url, "--token", "spent", "--home", home], {}).exited;
    expect(left()).toEqual([]);
  });
});

describe("gantry-agent enroll, with a control plane of another version", () => {
  it("prints the remedy, with its own exit code", async () => {
    world.control.protocol += 1;
    const agent = await enrollAgent(world);
    expect(await agent.exited).toBe(exitCodes.protocol_mismatch);
    expect(agent.output()).toMatch(/speaks protocol 2, this installation 3: update/);
    expect(existsSync(join(world.home, "agent.json"))).toBe(false);
  });

  it("succeeds when the answer only has additional fields", async () => {
    world.control.additions = { region: "fra" };
    expect(await (await enrollAgent(world)).exited).toBe(0);
  });
});

describe("gantry-agent end-builds", () => {
  it("ends the builds of a killed agent, and nothing else", async () => {
    await enrollAgent(world);
    const agent = await spawnRunningAgent(world);
    const app = `sleep 1000 > /dev/null 2>&1 & echo $! > ${noted("app")}`;
    expect((await world.deploy({ activate_command: app })).result.outcome).toBe("live");
    const wait = `echo $! > ${noted("daemon")}; echo $$ > ${noted("build")}; exec sleep 1000`;
    world.control.dispatch(world.order({ build_command: `setsid sleep 1000 & ${wait}` }));
    await waitForPid("build");
    const endBuilds = () => spawnAgent(["end-builds", "--home", world.home]);
    const refused = endBuilds();
    expect(await refused.exited).toBe(exitCodes.failed);
    expect(refused.output()).toContain(`An agent (process ${agent.child.pid}) uses`);
    agent.child.kill("SIGKILL");
    await agent.exited;
    expect(isAlive(pidOf("build")) && isAlive(pidOf("daemon"))).toBe(true);
    const ended = endBuilds();
    expect(await ended.exited).toBe(0);
    expect(ended.output()).toContain("ended the processes of 1 interrupted build");
    expect(isAlive(pidOf("build")) || isAlive(pidOf("daemon"))).toBe(false);
    expect(isAlive(pidOf("app"))).toBe(true);
    process.kill(pidOf("app"));
  });
});

describe("gantry-agent run", () => {
  it("prints how to enrol when the home is not enrolled", async () => {
    const agent = spawnAgent(["run", "--home", world.home]);
    expect(await agent.exited).toBe(exitCodes.give_up);
    expect(agent.output()).toMatch(/agent\.json\. Enrol this server first/);
  });

  it.each(["agent.json", "seal.json"])(
    "allows the service to start it again while the system does not let it read %s",
    async (file) => {
      await enrollAgent(world);
      rmSync(join(world.home, file));
      mkdirSync(join(world.home, file));
      const agent = spawnAgent(["run", "--home", world.home]);
      expect(await agent.exited).toBe(exitCodes.failed);
      expect(agent.output()).toMatch(new RegExp(`${file} cannot be (?:read|used): EISDIR`));
      expect(agent.output()).not.toContain("delete it");
    },
  );

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "deploys, and ends with code 0 at %s, without a leftover process and with a result for the interrupted run",
    async (signal) => {
      await enrollAgent(world);
      const agent = await spawnRunningAgent(world);
      await world.deploy();
      const run = world.control.dispatch(
        world.order({ build_command: `sleep 1000 & echo $! > ${noted("sleeper")}; wait` }),
      );
      const sleeper = await waitForPid("sleeper");
      agent.child.kill(signal);
      expect(await agent.exited).toBe(0);
      expect(isAlive(sleeper)).toBe(false);
      expect(resultOf(run)).toMatchObject({
        outcome: "failed",
        failure: { code: "server_lost", stage: "build" },
      });
      expect(world.has("run.json")).toBe(false);
      expect(world.current).toBe("releases/1");
    },
  );

  it("ends with the process that started it", async () => {
    await enrollAgent(world);
    const agent = await spawnRunningAgent(world, { channel: true });
    agent.child.disconnect();
    expect(await agent.exited).toBe(0);
  });

  it("ends its apps and their supervisor too when that process ends", async () => {
    world.repository.commit(smallApp("one"));
    await enrollAgent(world);
    const agent = await spawnRunningAgent(world, { channel: true });
    expect((await world.deploy({ processes: { web: smallWeb } })).result.outcome).toBe("live");
    expect(runningInstances(world)).toEqual(["web-1-0"]);
    const lock: unknown = JSON.parse(readFileSync(join(world.home, "supervisor.lock"), "utf8"));
    const { pid: supervisor } = z.object({ pid: z.int() }).parse(lock);
    agent.child.disconnect();
    expect(await agent.exited).toBe(0);
    expect(runningInstances(world)).toEqual([]);
    await expect.poll(() => isAlive(supervisor)).toBe(false);
  });

  it("keeps running after its output is closed", async () => {
    await enrollAgent(world);
    const agent = await spawnRunningAgent(world);
    agent.child.stdout?.destroy();
    expect((await world.deploy()).result.outcome).toBe("live");
    expect((await world.deploy()).result.outcome).toBe("live");
    agent.child.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
  });
});

describe("gantry-agent status", () => {
  const status = async () => {
    const asked = spawnAgent(["status", "--home", world.home]);
    return { code: await asked.exited, text: asked.output().trim() };
  };

  it("prints whether an agent runs here, and whether it is connected", async () => {
    expect(await status()).toEqual({ code: exitCodes.not_connected, text: `not enrolled, in ${world.home}` });
    await enrollAgent(world);
    expect(await status()).toEqual({ code: exitCodes.not_connected, text: `not running, in ${world.home}` });
    const agent = await spawnRunningAgent(world);
    const { url, serverId } = world.control;
    await expect
      .poll(async () => (await status()).text)
      .toMatch(
        new RegExp(
          `^connected to ${url} as ${serverId} .* protocol 2, process ${agent.child.pid}\\)\nseal key: .*\n.*\n.*\npolicy: .*\ntools for builds: node \\d.*\ncontainers: no: Containers need the agent as a service`,
        ),
      );
    await world.control.close();
    await expect
      .poll(async () => (await status()).text)
      .toMatch(/^not connected to .*: it cannot be reached/);
    agent.child.kill("SIGTERM");
    await agent.exited;
    expect((await status()).text).toBe(`not running, in ${world.home}`);
    await world.control.listen();
  });
});

describe("a second agent in the same home", () => {
  it("waits until the first agent ends, so that it never treats its runs as leftovers", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    const run = world.control.dispatch(world.order({ build_command: "echo building; sleep 0.5" }));
    await world.control.waitFor("the build", () => run.events.some(({ type }) => type === "output"));
    const second = spawnAgent(["run", "--home", world.home]);
    await world.control.waitFor("the log line", () => /waiting until it ends/.test(second.output()));
    expect((await world.control.result(run)).outcome).toBe("live");
    const hellos = world.control.hellos;
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    await world.control.waitForHello(hellos);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });
});

describe("an agent that was killed", () => {
  it("in a build is followed by an agent that kills the processes, removes the release, and reports the run as failed", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    await world.deploy();
    const run = world.control.dispatch(
      world.order({
        build_command: [
          `sleep 1000 & echo $! > ${noted("child")}`,
          `setsid sh -c 'echo $$ > ${noted("daemon")}; exec sleep 1000' &`,
          "echo building",
          "wait",
        ].join("\n"),
        keep_releases: [1],
      }),
    );
    const child = await waitForPid("child");
    const daemon = await waitForPid("daemon");
    await world.control.waitFor("output", () => run.events.some(({ type }) => type === "output"));
    first.child.kill("SIGKILL");
    await first.exited;
    expect(isAlive(child)).toBe(true);

    const second = await spawnRunningAgent(world);
    // Not the last message: a later message about the project may already have arrived.
    const hello = world.control.messages.findLast(({ type }) => type === "hello");
    expect(hello).toMatchObject({ projects: [{ release: 1, releases: [1] }] });
    expect(await world.control.result(run)).toMatchObject({
      outcome: "failed",
      failure: {
        code: "server_lost",
        stage: "build",
        message: "the agent stopped during this deployment",
      },
    });
    expect(isAlive(child)).toBe(false);
    expect(isAlive(daemon)).toBe(false);
    expect(world.has("releases/2")).toBe(false);
    expect((await world.deploy({ keep_releases: [1] })).result.outcome).toBe("live");
    second.child.kill("SIGTERM");
    await second.exited;
  });

  it("between switch and result is followed by an agent that switches back and runs the earlier activate command", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    await world.deploy({ activate_command: `echo one >> ${noted("trace")}` });
    const run = world.control.dispatch(
      world.order({
        activate_command: `echo $$ > ${noted("activating")}; exec sleep 1000`,
        keep_releases: [1],
      }),
    );
    const activating = await waitForPid("activating");
    expect(world.current).toBe("releases/2");
    first.child.kill("SIGKILL");
    await first.exited;

    const second = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toMatchObject({
      failure: { code: "server_lost", stage: "activate", message: expect.stringMatching(/switched back/) },
    });
    expect(isAlive(activating)).toBe(false);
    expect(world.current).toBe("releases/1");
    expect(world.has("releases/2")).toBe(false);
    expect(readFileSync(noted("trace"), "utf8")).toBe("one\none\n");
    second.child.kill("SIGTERM");
    await second.exited;
  });

  it("before its result was stored is followed by an agent that delivers the result", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    world.control.faultOf = ({ events }) => (events.some(({ type }) => type === "result") ? "lost" : null);
    const run = world.control.dispatch(world.order({ preapproved: true }));
    await world.control.waitFor("the decided result", () => {
      try {
        return JSON.parse(world.read("run.json")).phase.kind === "decided";
      } catch {
        return false;
      }
    });
    first.child.kill("SIGKILL");
    await first.exited;
    world.control.faultOf = () => null;
    const second = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toMatchObject({ outcome: "live", release: 1 });
    expect(world.current).toBe("releases/1");
    await expect.poll(() => world.has("run.json")).toBe(false);
    second.child.kill("SIGTERM");
    await second.exited;
  });

  it("while a post was on its way reports the result again, if that post took the result's number", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    const run = world.control.dispatch(world.order({ build_command: "sleep 60" }));
    await world.control.waitFor("the build", () => run.events.some(({ type }) => type === "stage"));
    first.child.kill("SIGKILL");
    await first.exited;
    let isLate = true;
    world.control.faultOf = ({ events }) => {
      const [next] = events;
      if (next?.type !== "result" || !isLate) return null;
      isLate = false;
      const time = new Date().toISOString();
      const line = { time, stream: "stdout", stage: "build", message: "late" } as const;
      run.events.push({ seq: next.seq, type: "output", lines: [line] });
      return "known";
    };
    const second = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toMatchObject({ outcome: "failed" });
    expect(run.events.at(-2)?.type).toBe("output");
    await expect.poll(() => world.has("run.json")).toBe(false);
    second.child.kill("SIGTERM");
    await second.exited;
  });

  it("does not cause the end of a process that only has the same pid", async () => {
    await world.startAgent().then((agent) => world.deploy().then(() => agent.stop()));
    const stranger = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    const order = world.order();
    world.control.runs.set(order.run_id, {
      order,
      events: [],
      instruction: "continue",
      grantsPermit: true,
      posts: 0,
    });
    const { project_id, deployment_id, run_id } = order;
    writeFileSync(
      world.path("run.json"),
      JSON.stringify({
        run: { project_id, deployment_id, run_id },
        boot_id: bootId(),
        stage: "fetch",
        builds: 2,
        activate_seconds: 60,
        phase: { kind: "preparing" },
        groups: [{ pid: stranger.pid, start_time: "1" }],
      }),
    );
    await world.startAgent();
    const run = world.control.runs.get(run_id);
    await world.control.waitFor("the report", () => run !== undefined && resultOf(run) !== null);
    expect(stranger.pid !== undefined && isAlive(stranger.pid)).toBe(true);
    stranger.kill("SIGKILL");
  });
});
