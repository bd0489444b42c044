import { existsSync, readFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { HealthCheck } from "#contract/endpoints/projects/settings.ts";

import { enrollAgent, spawnRunningAgent } from "../../../agent/support/agent-process.ts";
import { ids, isAlive, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import { freePort } from "../../../support/free-port.ts";

let world: AgentWorld;
let port: number;
beforeEach(async () => {
  world = await AgentWorld.create();
  port = await freePort();
  world.cleanUps.push(() => {
    for (const pid of world.pidsIn("pids")) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
});
afterEach(() => world.close());

/** A release's app: it answers with the release's name, on a port that only one app can use. */
const commitApp = (name: string, status = 200) =>
  world.repository.commit({
    "app.mjs": `
      import { createServer } from "node:http";
      import { appendFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(world.file("pids"))}, process.pid + "\\n");
      const server = createServer((_, response) => response.writeHead(${status}).end("${name}"));
      server.on("error", () => process.exit(1));
      server.listen(${port}, "127.0.0.1");
    `,
  });

/** Ends the app that the previous command started, and starts the release's own as a daemon. */
const restart = (how: string) =>
  `if [ -e ${world.file("app.pid")} ]; then kill $(cat ${world.file("app.pid")}); sleep 0.3; fi; ${how}`;
/** Waits until the app that a line starts is there. */
const untilItRuns = (line: string) => {
  const apps = `$(cat ${world.file("pids")} 2>/dev/null | wc -l)`;
  return `before=${apps}; ${line}; until [ "${apps}" -gt "$before" ]; do sleep 0.05; done; sleep 0.2`;
};
const inBackground = () => untilItRuns(`node app.mjs & echo $! > ${world.file("app.pid")}`);
const asDaemon = (prefix = "") => untilItRuns(`( ${prefix} setsid sh -c 'node app.mjs & exit' & )`);

const health = () =>
  HealthCheck.parse({
    url: `http://127.0.0.1:${port}/`,
    tries: 60,
    interval_seconds: 0.2,
    timeout_seconds: 2,
  });

const served = async () => {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/`)).text();
  } catch {
    return null;
  }
};

const deployOne = () => world.deploy({ activate_command: restart(inBackground()), health_check: health() });

describe("the processes of a release that fails", () => {
  it("are ended before the earlier release is activated again, so that its app gets the port back", async () => {
    await world.startAgent();
    commitApp("one");
    expect((await deployOne()).result.outcome).toBe("live");
    commitApp("two", 500);
    const { run, result } = await world.deploy({
      activate_command: restart(asDaemon()),
      health_check: { ...health(), tries: 2 },
      keep_releases: [1],
    });
    expect(result).toMatchObject({ failure: { code: "health_check_failed" } });
    expect(world.current).toBe("releases/1");
    expect(await served()).toBe("one");
    const [, two] = world.pidsIn("pids");
    expect(isAlive(two ?? 0)).toBe(false);
    const told = messagesOf(run, "system");
    const ended = told.findIndex((line) =>
      /^ended 1 process that releases\/2 left running: node \(\d+\)$/.test(line),
    );
    expect(told[ended - 1]).toBe("switched current back to releases/1");
    expect(told[ended + 1]).toMatch(/^running /);
  });

  it("are found by their working directory when they have no environment", async () => {
    await world.startAgent();
    commitApp("one", 500);
    const { result } = await world.deploy({
      activate_command: asDaemon(`exec env -i PATH="$PATH"`),
      health_check: { ...health(), tries: 2 },
    });
    expect(result).toMatchObject({ failure: { code: "health_check_failed" } });
    expect(world.pidsIn("pids")).toHaveLength(1);
    expect(isAlive(world.pidsIn("pids")[0] ?? 0)).toBe(false);
  });

  it("get SIGTERM first, and are killed if they do not end", async () => {
    await world.startAgent();
    commitApp("one");
    const { result } = await world.deploy({
      activate_command: [
        `setsid sh -c 'echo $$ >> ${world.file("pids")}; trap "echo asked > ${world.file("asked")}; exit" TERM; while :; do sleep 0.05; done' &`,
        `setsid sh -c 'echo $$ >> ${world.file("pids")}; trap "" TERM; while :; do sleep 0.05; done' &`,
        `until [ "$(wc -l < ${world.file("pids")})" = 2 ]; do sleep 0.02; done; exit 1`,
      ].join("\n"),
    });
    expect(result).toMatchObject({ failure: { code: "activate_failed" } });
    expect(readFileSync(world.file("asked"), "utf8")).toBe("asked\n");
    for (const pid of world.pidsIn("pids")) expect(isAlive(pid)).toBe(false);
  });

  it("are also ended when the agent was killed while it tried the release", async () => {
    await enrollAgent(world);
    const agent = await spawnRunningAgent(world);
    commitApp("one");
    expect((await deployOne()).result.outcome).toBe("live");
    commitApp("two", 500);
    const run = world.control.dispatch(
      world.order({
        activate_command: restart(asDaemon()),
        health_check: { ...health(), tries: 50 },
        keep_releases: [1],
      }),
    );
    await expect.poll(served).toBe("two");
    agent.child.kill("SIGKILL");
    await agent.exited;
    const next = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toMatchObject({ failure: { code: "server_lost" } });
    expect(await served()).toBe("one");
    next.child.kill("SIGTERM");
    await next.exited;
    expect(await served()).toBe("one");
  });

  it("are ended when the control plane corrects the served release to an earlier one", async () => {
    await world.startAgent();
    commitApp("one");
    await deployOne();
    commitApp("two");
    const second = await world.deploy({
      activate_command: restart(asDaemon()),
      health_check: health(),
      keep_releases: [1],
    });
    expect(second.result.outcome).toBe("live");
    expect(await served()).toBe("two");
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await expect.poll(served).toBe("one");
  });

  it("keep running if they also serve others, such as a supervisor that runs an earlier release's app", async () => {
    // Like pm2, the supervisor is started by the first command that needs it, and then starts the apps of all projects.
    const supervisor = `
      import { spawn } from "node:child_process";
      import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
      appendFileSync(${JSON.stringify(world.file("pids"))}, process.pid + "\\n");
      setInterval(() => {
        if (!existsSync(process.argv[2])) return;
        const { env, name } = JSON.parse(readFileSync(process.argv[2], "utf8"));
        rmSync(process.argv[2]);
        const child = spawn("sleep", ["1000"], { stdio: "ignore", env, argv0: name });
        appendFileSync(${JSON.stringify(world.file("pids"))}, child.pid + "\\n");
        appendFileSync(process.argv[2] + ".done", name + "\\n");
      }, 20);
    `;
    const add = (name: string) =>
      `node -e 'fs.writeFileSync("${world.file("add.tmp")}", JSON.stringify({env: process.env, name: "${name}"})); fs.renameSync("${world.file("add.tmp")}", "${world.file("add")}")'; until grep -q ${name} ${world.file("add")}.done; do sleep 0.02; done`;
    world.repository.commit({ "supervisor.mjs": supervisor });
    await world.startAgent();
    const go = world.file("go");
    const failing = world.control.dispatch(
      world.order({
        activate_command: `setsid node supervisor.mjs ${world.file("add")} > /dev/null 2>&1 & ${add("broken")}; until [ -e ${go} ]; do sleep 0.02; done; exit 1`,
      }),
    );
    await expect.poll(() => existsSync(`${world.file("add")}.done`)).toBe(true);
    // Another project's app, which the same supervisor runs.
    const other = world.control.dispatch(
      world.order({ project_id: ids.project(), activate_command: `${add("good")}; touch ${go}` }),
    );
    expect((await world.control.result(other)).outcome).toBe("live");
    expect(await world.control.result(failing)).toMatchObject({ failure: { code: "activate_failed" } });
    const [supervisorPid = 0, broken = 0, good = 0] = world.pidsIn("pids");
    expect(isAlive(broken)).toBe(false);
    expect(isAlive(supervisorPid)).toBe(true);
    expect(isAlive(good)).toBe(true);
  });
});
