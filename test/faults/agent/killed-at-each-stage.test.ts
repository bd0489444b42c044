import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { HealthCheck } from "#contract/endpoints/projects/settings.ts";

import { sampleOf } from "../../support/sample.ts";
import { resultOf } from "../../support/fake-control-plane.ts";
import { agentPath } from "../../agent/support/agent-bundle.ts";
import {
  type AgentProcess,
  enrollAgent,
  type SpawnOptions,
  spawnRunningAgent,
} from "../../agent/support/agent-process.ts";
import { isAlive, AgentWorld } from "../../agent/support/harness.ts";
import { createRepository } from "../../agent/support/repository.ts";
import { expectWholeProject, servedVersion } from "../../agent/support/whole-project.ts";

let world: AgentWorld;
let agent: AgentProcess;
let servers: Server[] = [];
beforeEach(async () => {
  world = await AgentWorld.create();
  const library = createRepository(join(world.folder, "library"));
  library.commit({ "library.txt": "library" });
  world.repository.commit({ "index.html": "0" });
  world.repository.git("submodule", "--quiet", "add", library.path, "library");
  world.repository.commit({});
  installGit();
  await enrollAgent(world);
  servers = [];
});
afterEach(async () => {
  agent.child.kill("SIGTERM");
  await agent.exited;
  for (const server of servers) server.close();
  await world.close();
});

/** Ends the agent from one of its processes. The processes that it leaves behind record their pids. */
const killAgent = () =>
  [
    `sleep 1000 & echo $! >> ${world.file("left")}`,
    `setsid sleep 1000 >/dev/null 2>&1 & echo $! >> ${world.file("left")}`,
    `echo $$ >> ${world.file("left")}`,
    "kill -9 $PPID",
    "exec sleep 1000",
  ].join("\n");

const killAgentAt = (name: string) => `until [ -e ${world.file(name)} ]; do sleep 0.02; done\n${killAgent()}`;

/** A git that ends the agent when its arguments match the text in the file `kill-before` or `kill-after`. */
function installGit(): void {
  mkdirSync(world.file("bin"));
  const matches = (name: string) =>
    `[ -e ${world.file(name)} ] && printf '%s' "$*" | grep -q -e "$(cat ${world.file(name)})"`;
  const script = [
    "#!/bin/sh",
    `git=$(PATH=\${PATH#*:} command -v git)`,
    `if ${matches("kill-before")}; then`,
    killAgent(),
    "fi",
    `if ${matches("kill-after")}; then`,
    `"$git" "$@"`,
    killAgent(),
    "fi",
    `exec "$git" "$@"`,
  ];
  writeFileSync(join(world.file("bin"), "git"), script.join("\n"));
  chmodSync(join(world.file("bin"), "git"), 0o755);
}

const startAgent = (options: SpawnOptions = {}) =>
  spawnRunningAgent(world, {
    ...options,
    env: { PATH: `${world.file("bin")}:${agentPath()}` },
  });

/** A server, on its own port or on a socket, that ends the agent before or after it answers. */
async function listen(where: string | number, answer: "before" | "after"): Promise<number> {
  const server = createServer((_request, response) => {
    if (answer === "before") agent.child.kill("SIGKILL");
    else response.on("finish", () => agent.child.kill("SIGKILL"));
    response.writeHead(200, { connection: "close" }).end("{}");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(where, resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** `outcome`: how the run ends, if that does not depend on how far the agent came. */
type KillPoint = {
  readonly phase: "preparing" | "switching" | "decided" | "any";
  readonly outcome: "lost" | "live" | "any";
  readonly grantsPermit?: boolean;
  readonly hasSites?: boolean;
  /** Prepares the agent's end. @returns changes of the usual order */
  arm(): Partial<RunOrder> | Promise<Partial<RunOrder>>;
  /** Ends the agent at the right moment, if nothing else does. */
  watch?(order: RunOrder): Promise<unknown>;
};

const build = "echo $GANTRY_VERSION > index.html";
const activate = () => `echo $GANTRY_VERSION > ${world.path("activated")}`;
const migrate = () => `echo $GANTRY_VERSION >> ${world.file("migrated")}`;
const check = (port: number, tries = 1) =>
  HealthCheck.parse({ url: `http://127.0.0.1:${port}/`, tries, interval_seconds: 0.1 });
const kill = () => agent.child.kill("SIGKILL");
const MANY = 5_000;
const makeMany = `rm -rf data && mkdir data && cd data && seq ${MANY} | xargs touch && cd ..`;

const killPoints: Readonly<Record<string, KillPoint>> = {
  fetching: {
    phase: "preparing",
    outcome: "lost",
    arm: () => (writeFileSync(world.file("kill-before"), "/mirror.git fetch"), {}),
  },
  "fetching a submodule": {
    phase: "preparing",
    outcome: "lost",
    arm() {
      rmSync(world.path("modules"), { recursive: true, force: true });
      writeFileSync(world.file("kill-before"), "/modules/.* fetch");
      return {};
    },
  },
  "writing the files": {
    phase: "preparing",
    outcome: "lost",
    arm: () => (writeFileSync(world.file("kill-after"), "read-tree"), {}),
  },
  building: {
    phase: "preparing",
    outcome: "lost",
    arm: () => ({ build_command: killAgent() }),
  },
  "linking shared paths": {
    phase: "preparing",
    outcome: "lost",
    arm: () => ({ build_command: `${build}; ${makeMany}; touch ${world.file("built")}` }),
    async watch({ version }) {
      const path = world.path(`releases/${version}/data`);
      await world.control.waitFor("a partial removal", () => {
        if (!existsSync(world.file("built"))) return false;
        return !existsSync(path) || readdirSync(path).length < MANY;
      });
      kill();
    },
  },
  "asking for the permit": {
    phase: "preparing",
    outcome: "lost",
    arm() {
      world.control.faultOf = ({ events }) =>
        events.some(({ type }) => type === "ready") && kill() ? "answer_lost" : null;
      return {};
    },
  },
  "waiting for the permit": {
    phase: "preparing",
    outcome: "lost",
    grantsPermit: false,
    arm: () => ({}),
    async watch({ run_id }) {
      const run = world.control.runs.get(run_id);
      await world.control.waitFor("the permit request", () =>
        run?.events.some(({ type }) => type === "ready"),
      );
      kill();
    },
  },
  "being given the permit": {
    phase: "any",
    outcome: "any",
    arm() {
      world.control.afterAnswer = ({ instruction }) => void (instruction === "activate" && kill());
      return {};
    },
  },
  "running the release command": {
    phase: "preparing",
    outcome: "lost",
    arm: () => ({ release_command: `${migrate()}\n${killAgent()}` }),
  },
  "between the switch and the activate command": {
    phase: "switching",
    outcome: "lost",
    hasSites: true,
    // The agent requests a site that is not served yet at exactly that moment.
    arm: async () => (await listen(world.file("sites.sock"), "before"), {}),
  },
  activating: {
    phase: "switching",
    outcome: "lost",
    arm: () => ({ activate_command: `${activate()}\n${killAgent()}` }),
  },
  verifying: {
    phase: "switching",
    outcome: "lost",
    arm: async () => ({ health_check: check(await listen(0, "before"), 3) }),
  },
  "between the last check and the result": {
    phase: "any",
    outcome: "any",
    arm: async () => ({ health_check: check(await listen(0, "after")) }),
  },
  pruning: {
    phase: "decided",
    outcome: "live",
    arm() {
      // Removing so many files takes longer than noticing that the removal has begun.
      const many = world.path("releases", "1", "many");
      mkdirSync(many);
      for (let at = 0; at < MANY; at += 1) writeFileSync(join(many, `${at}`), "");
      // The run ends with the report of its result, which may come before the kill.
      world.control.faultOf = ({ events }) => (events.some(({ type }) => type === "result") ? "lost" : null);
      return { keep_releases: [] };
    },
    async watch() {
      await world.control.waitFor("the removal of the record", () => !world.has("releases/1.json"));
      kill();
      world.control.faultOf = () => null;
    },
  },
  "reporting the result, which arrives": {
    phase: "decided",
    outcome: "live",
    arm() {
      world.control.faultOf = ({ events }) =>
        events.some(({ type }) => type === "result") && kill() ? "answer_lost" : null;
      return {};
    },
  },
  "reporting the result, which is lost": {
    phase: "decided",
    outcome: "live",
    arm() {
      world.control.faultOf = ({ events }) =>
        events.some(({ type }) => type === "result") && kill() ? "lost" : null;
      return {};
    },
  },
  "activating a rollback": {
    phase: "switching",
    outcome: "lost",
    arm() {
      rewriteActivate(1, `${activate()}\n[ -e ${world.file("roll-back")} ] || exit 0\n${killAgent()}`);
      writeFileSync(world.file("roll-back"), "");
      return { reuse_release: 1, preapproved: true };
    },
  },
  "switching back from a release that failed": {
    phase: "switching",
    outcome: "lost",
    arm() {
      rewriteActivate(
        2,
        `[ -e ${world.file("again")} ] && exit 0\ntouch ${world.file("again")}\n${killAgent()}`,
      );
      return { activate_command: "exit 1" };
    },
  },
};

/** Gives an existing release another activate command. */
function rewriteActivate(version: number, command: string): void {
  const path = `releases/${version}.json`;
  const record: unknown = JSON.parse(world.read(path));
  writeFileSync(world.path(path), JSON.stringify({ ...Object(record), activate_command: command }));
}

const journalPhase = () => /"phase":\{"kind":"(\w+)"/.exec(world.read("run.json"))?.[1];

const usual = (): Partial<RunOrder> => ({
  build_command: build,
  release_command: migrate(),
  activate_command: activate(),
  shared_paths: ["data"],
  keep_releases: world.releases.slice(-2),
});

async function deployTwice(options: SpawnOptions = {}): Promise<void> {
  agent = await startAgent(options);
  for (const _ of [1, 2]) expect((await world.deploy(usual())).result.outcome).toBe("live");
  await expect.poll(() => world.has("run.json")).toBe(false);
  world.repository.commit({ "another.html": "" });
}

const leftPids = () =>
  existsSync(world.file("left"))
    ? readFileSync(world.file("left"), "utf8").trim().split("\n").map(Number)
    : [];

describe("an agent that is killed while", () => {
  it.each(sampleOf(Object.entries(killPoints), 2))(
    "%s: the next agent cleans up and reports the run",
    async (_name, point) => {
      await deployTwice(point.hasSites === true ? { sitesSocket: world.file("sites.sock") } : {});
      const order = world.order({ ...usual(), keep_releases: [1, 2], ...(await point.arm()) });
      const run = world.control.dispatch(order, { grantsPermit: point.grantsPermit ?? true });
      await point.watch?.(order);
      expect(await agent.exited).toBe("SIGKILL");
      if (point.phase !== "any") expect(journalPhase()).toBe(point.phase);
      for (const pid of leftPids()) expect(isAlive(pid)).toBe(true);
      for (const hook of ["kill-before", "kill-after", "roll-back"])
        rmSync(world.file(hook), { force: true });
      for (const server of servers) server.close();
      world.control.faultOf = () => null;
      world.control.afterAnswer = () => undefined;

      agent = await startAgent();
      const result = await world.control.result(run);
      await expectWholeProject(world, [order.run_id]);
      for (const pid of leftPids()) expect(isAlive(pid)).toBe(false);
      const isLive = result.outcome === "live";
      if (point.outcome !== "any") expect(isLive).toBe(point.outcome === "live");
      if (!isLive) expect(result).toMatchObject({ failure: { code: "server_lost" } });
      expect(Number(world.read("current", "index.html"))).toBe(isLive ? order.version : 2);
      expect(run.events.filter(({ type }) => type === "result")).toHaveLength(1);
      const migrated = world.linesOf("migrated");
      expect(new Set(migrated).size).toBe(migrated.length);

      const next = await world.deploy(usual());
      expect(next.result.outcome).toBe("live");
      expect(servedVersion(world)).toBe(next.order.version);
      expect(world.read("current", "library", "library.txt")).toBe("library");
    },
  );

  it("correcting the served release: the next agent completes the correction", async () => {
    await deployTwice();
    rewriteActivate(1, `${activate()}\n[ -e ${world.file("roll-back")} ] || exit 0\n${killAgent()}`);
    writeFileSync(world.file("roll-back"), "");
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    expect(await agent.exited).toBe("SIGKILL");
    rmSync(world.file("roll-back"));
    agent = await startAgent();
    await expectWholeProject(world, []);
    expect(servedVersion(world)).toBe(1);
    for (const pid of leftPids()) expect(isAlive(pid)).toBe(false);
    expect((await world.deploy(usual())).result.outcome).toBe("live");
  });

  it("removing a project: the next agent removes it when the control plane asks again", async () => {
    await deployTwice({ sitesSocket: world.file("sites.sock") });
    await listen(world.file("sites.sock"), "before");
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    expect(await agent.exited).toBe("SIGKILL");
    for (const server of servers) server.close();
    agent = await startAgent();
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await world.control.waitFor("the answer", () =>
      world.control.messages.some(({ type }) => type === "project_removed"),
    );
    await expectWholeProject(world, []);
    expect(world.current).toBeNull();
    expect(world.releases).toEqual([]);
    expect((await world.deploy(usual())).result.outcome).toBe("live");
  });

  it("another run waits for its turn: the next agent does not know that run, and it leaves no files", async () => {
    await deployTwice();
    const slow = world.control.dispatch(world.order({ ...usual(), build_command: killAgentAt("go") }));
    const waiting = world.control.dispatch(world.order(usual()));
    await world.control.waitFor("the build", () => slow.events.some(({ type }) => type === "resolved"));
    writeFileSync(world.file("go"), "");
    await agent.exited;
    agent = await startAgent();
    await world.control.result(slow);
    expect(resultOf(waiting)).toBeNull();
    await expectWholeProject(world, [slow.order.run_id, waiting.order.run_id]);
  });
});
