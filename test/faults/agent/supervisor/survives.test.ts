import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";

import { createProcessSupervisor, endSupervisor } from "#agent/apps/process-supervisor.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { supervisorSocket } from "#agent/supervisor/socket-path.ts";
import { readInstances } from "#agent/supervisor/state-file.ts";
import { pause } from "#contract/lib/pause.ts";
import { readProcessStat } from "#node/processes.ts";

import { bundleAgent } from "../../../agent/support/agent-bundle.ts";
import { isAlive } from "../../../agent/support/harness.ts";
import { mountSmallDisk } from "../../../agent/support/small-disk.ts";
import { instancesOf, type SupervisedHome, superviseHome } from "../../../agent/supervisor/support.ts";

const homes: SupervisedHome[] = [];
async function newHome(folder?: string): Promise<SupervisedHome> {
  const home = await superviseHome(folder);
  homes.push(home);
  return home;
}
afterEach(async () => {
  for (const home of homes.splice(0)) await home.close();
});

/** Prints its pid, and runs until it is stopped. */
const SERVE = "echo $$; exec sleep 1000";
const pidOf = (home: SupervisedHome, name: string): number => Number(home.linesOf(name).at(-1));

async function startServing(
  home: SupervisedHome,
  name: string,
  supervisor = home.connect(),
): Promise<number> {
  expect(await supervisor.start(home.spec(name, SERVE))).toEqual({ ok: true, value: null });
  await expect.poll(() => home.linesOf(name)).toHaveLength(1);
  return pidOf(home, name);
}

async function killSupervisor(home: SupervisedHome, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  const pid = home.pid();
  process.kill(pid, signal);
  await expect.poll(() => isAlive(pid)).toBe(false);
}

describe("a supervisor that was killed", () => {
  it("has a successor that takes over the instances, and starts them again when they end", async () => {
    const home = await newHome();
    const supervisor = home.connect();
    const pid = await startServing(home, "web-1-0", supervisor);
    const before = (await instancesOf(supervisor)).get("web-1-0");
    await killSupervisor(home);
    expect(isAlive(pid)).toBe(true);
    expect((await instancesOf(supervisor)).get("web-1-0")).toMatchObject({
      state: "running",
      restarts: 0,
      startedAt: before?.startedAt,
    });
    process.kill(pid, "SIGKILL");
    await expect.poll(() => home.linesOf("web-1-0")).toHaveLength(2);
    const after = (await instancesOf(supervisor)).get("web-1-0");
    // Only the parent of a process learns how it ended.
    expect(after).toMatchObject({ state: "running", restarts: 1, lastExit: null });
  });

  it("leaves instances that a new agent can stop, and misses when they end without its commands", async () => {
    const home = await newHome();
    const [stopped, ended] = [await startServing(home, "web-1-0"), await startServing(home, "web-1-1")];
    await killSupervisor(home);
    const supervisor = home.connect();
    expect([...(await instancesOf(supervisor)).keys()]).toEqual(["web-1-0", "web-1-1"]);
    expect(await supervisor.stop(home.project, "web-1-0")).toEqual({ ok: true, value: null });
    expect(isAlive(stopped)).toBe(false);
    process.kill(ended, "SIGKILL");
    await expect.poll(async () => (await instancesOf(supervisor)).size).toBe(0);
    await supervisor.start(home.spec("web-1-1", SERVE));
    await expect.poll(() => home.linesOf("web-1-1")).toHaveLength(2);
  });

  it("has a successor that starts what ended together with it, with the commands of the same agent", async () => {
    const home = await newHome();
    const supervisor = home.connect();
    const pid = await startServing(home, "web-1-0", supervisor);
    await startServing(home, "web-1-1", supervisor);
    await supervisor.stop(home.project, "web-1-1");
    process.kill(home.pid(), "SIGKILL");
    process.kill(pid, "SIGKILL");
    await expect.poll(async () => [...(await instancesOf(supervisor)).keys()]).toEqual(["web-1-0"]);
    await expect.poll(() => home.linesOf("web-1-0")).toHaveLength(2);
  });

  it("has a successor that finishes what it was stopping, and ends what it did not know of", async () => {
    const home = await newHome();
    const supervisor = home.connect();
    const script = `trap 'sleep 1; echo finished; exit' TERM; echo ready; while true; do sleep 0.1; done`;
    await supervisor.start(home.spec("web-1-0", script));
    await expect.poll(() => home.linesOf("web-1-0")).toEqual(["ready"]);
    const unknown = await startServing(home, "web-1-1", supervisor);
    const stopping = supervisor.stop(home.project, "web-1-0");
    await expect.poll(async () => (await instancesOf(supervisor)).get("web-1-0")?.state).toBe("stopping");
    await killSupervisor(home);
    // As if it had been killed before it noted this instance.
    const { instances, ...rest } = await readInstances(home.home);
    expect(instances).toHaveLength(2);
    const state = JSON.stringify({ ...rest, instances: instances.slice(0, 1) });
    writeFileSync(join(home.home, "supervisor.json"), state);
    expect(await stopping).toEqual({ ok: true, value: null });
    expect(home.linesOf("web-1-0")).toEqual(["ready", "finished"]);
    expect(isAlive(unknown)).toBe(true);
    await supervisor.start(home.spec("web-1-1", SERVE));
    expect(isAlive(unknown)).toBe(false);
  });
});

describe("a supervisor of another version", () => {
  it("is replaced by a new agent, and its instances keep running", async () => {
    const home = await newHome();
    const older = join(home.home, "older.mjs");
    writeFileSync(older, readFileSync(bundleAgent(), "utf8").replaceAll(`"${AGENT_VERSION}"`, '"0.0.1"'));
    const child = spawn(process.execPath, [older, "supervise", "--home", home.home], { stdio: "ignore" });
    await expect.poll(() => existsSync(supervisorSocket(home.home))).toBe(true);
    // The older agent would use its own supervisor, so this request does without the client.
    const pid = await startByHand(home, "web-1-0");
    const supervisor = home.connect();
    expect((await instancesOf(supervisor)).get("web-1-0")?.state).toBe("running");
    if (child.exitCode === null) await once(child, "exit");
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => home.linesOf("web-1-0")).toHaveLength(2);
  });

  async function startByHand(home: SupervisedHome, name: string): Promise<number> {
    const { command } = home.spec(name, SERVE);
    const body = JSON.stringify({ command, stop_signal: "SIGTERM", stop_seconds: 1 });
    const url = `http://supervisor.localhost/projects/${home.project}/instances/${name}`;
    execFileSync("curl", ["-sS", "--unix-socket", supervisorSocket(home.home), "-X", "PUT", "-d", body, url]);
    await expect.poll(() => home.linesOf(name)).toHaveLength(1);
    return pidOf(home, name);
  }
});

describe("the supervisor that an agent starts", () => {
  it("is one, however many agents start it, and has nothing of the agent's", async () => {
    const home = await newHome();
    const names = ["web-1-0", "web-1-1", "web-1-2", "web-1-3"];
    await Promise.all(names.map((name) => startServing(home, name)));
    expect([...(await instancesOf(home.connect())).keys()].toSorted()).toEqual(names);
    const pid = home.pid();
    expect(readProcessStat(pid)).toMatchObject({ group: pid, session: pid });
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    expect(environment).not.toContain("VITEST");
    const files = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return "";
      }
    });
    const foreign = files.filter((file) => /^\/(?!dev\/null)/.test(file) && !file.startsWith(home.home));
    expect(foreign).toEqual([]);
    expect(statSync(supervisorSocket(home.home)).mode & 0o777).toBe(0o600);
  });

  it("runs on with its instances when the agent and all of its group are killed", async () => {
    const home = await newHome();
    const file = join(import.meta.dirname, "agent-program.ts");
    const agent = spawn(process.execPath, [file, home.home, bundleAgent(), home.project], { detached: true });
    await expect.poll(() => home.linesOf("web-1-0").length).toBeGreaterThan(2);
    const [pid] = home.linesOf("web-1-0").map(Number);
    process.kill(-(agent.pid ?? 0), "SIGKILL");
    await once(agent, "close");
    const printed = home.linesOf("web-1-0").length;
    await expect.poll(() => home.linesOf("web-1-0").length).toBeGreaterThan(printed + 3);
    expect(home.linesOf("web-1-0").filter((line) => line === `${pid}`)).toHaveLength(1);
    expect((await instancesOf(home.connect())).get("web-1-0")).toMatchObject({
      state: "running",
      restarts: 0,
    });
  });

  it("is not started for a server without apps, and ends when the last one was stopped", async () => {
    const home = await newHome();
    expect(await home.connect().list(null)).toEqual({ ok: true, value: [] });
    const lock = join(home.home, "supervisor.lock");
    expect(existsSync(lock)).toBe(false);
    const environment = { ...process.env, GANTRY_AGENT_SETTINGS: JSON.stringify({ supervisorIdleMs: 300 }) };
    const supervisor = createProcessSupervisor({ ...home.options, environment });
    await startServing(home, "web-1-0", supervisor);
    await pause(1_000);
    expect(existsSync(lock)).toBe(true);
    await supervisor.stop(home.project, "web-1-0");
    await expect.poll(() => existsSync(lock)).toBe(false);
    await startServing(home, "web-2-0", supervisor);
  });

  it("ends with its instances when its home is deleted, also if one of them starts again and again", async () => {
    const home = await newHome();
    const environment = { ...process.env, GANTRY_AGENT_SETTINGS: JSON.stringify({ homeCheckMs: 100 }) };
    const supervisor = createProcessSupervisor({ ...home.options, environment });
    const pid = await startServing(home, "web-1-0", supervisor);
    expect((await supervisor.start(home.spec("web-1-1", "exit 1"))).ok).toBe(true);
    const supervisorPid = home.pid();
    // Other files come and go.
    writeFileSync(join(home.home, "other"), "");
    await pause(500);
    expect(isAlive(supervisorPid)).toBe(true);
    await rm(home.home, { recursive: true });
    await expect.poll(() => isAlive(supervisorPid)).toBe(false);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("leaves its instances running after a signal, and ends them when it is told to", async () => {
    const home = await newHome();
    const pid = await startServing(home, "web-1-0");
    await killSupervisor(home, "SIGTERM");
    expect(isAlive(pid)).toBe(true);
    expect(await endSupervisor(home.options)).toEqual({ ok: true, value: null });
    expect(isAlive(pid)).toBe(false);
    await expect.poll(() => existsSync(join(home.home, "supervisor.lock"))).toBe(false);
  });

  it("starts nothing while it ends its instances, because nothing would end it", async () => {
    const home = await newHome();
    const slow = "trap 'echo ending; sleep 1; exit' TERM; echo started; while :; do sleep 0.1; done";
    expect((await home.connect().start(home.spec("web-1-0", slow))).ok).toBe(true);
    await expect.poll(() => home.linesOf("web-1-0")).toEqual(["started"]);
    const ended = endSupervisor(home.options);
    await expect.poll(() => home.linesOf("web-1-0")).toEqual(["started", "ending"]);
    const refused = await home.connect().start(home.spec("web-1-1", SERVE));
    expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining("ending") });
    expect((await ended).ok).toBe(true);
    expect(home.linesOf("web-1-1")).toEqual([]);
  });

  it("works in a home whose path is too long for a socket", async () => {
    const folder = join(await mkdtemp(join(tmpdir(), "gantry-long-")), "x".repeat(200));
    await mkdir(folder);
    const home = await newHome(folder);
    await startServing(home, "web-1-0");
    const socketFolder = dirname(supervisorSocket(folder));
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
    // As if another user had made it first.
    chmodSync(socketFolder, 0o777);
    expect(await home.connect().list(null)).toMatchObject({ ok: false });
    chmodSync(socketFolder, 0o700);
    await home.close();
    homes.pop();
    rmdirSync(socketFolder);
  });

  it("runs 100 instances", async () => {
    const home = await newHome();
    const supervisor = home.connect();
    const names = Array.from({ length: 100 }, (_, at) => `web-${at + 1}-0`);
    const command = {
      argv: ["sleep", "1000"],
      cwd: home.home,
      env: { PATH: process.env["PATH"] ?? "" },
    } as const;
    const started = await Promise.all(
      names.map((name) => supervisor.start(home.spec(name, "", { command }))),
    );
    expect(started.every(({ ok }) => ok)).toBe(true);
    await killSupervisor(home);
    const found = await instancesOf(supervisor);
    expect(found.size).toBe(100);
    expect([...found.values()].every(({ state }) => state === "running")).toBe(true);
    const ended = await Promise.all(names.map((name) => supervisor.stop(home.project, name)));
    expect(ended.every(({ ok }) => ok)).toBe(true);
  });

  it("starts and stops instances on a full disk", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gantry-small-"));
    const disk = mountSmallDisk(folder, 1024 * 1024);
    try {
      const home = await superviseHome(folder);
      const supervisor = home.connect();
      await startServing(home, "web-1-0", supervisor);
      disk.fill(0);
      expect(await supervisor.start(home.spec("web-2-0", "exec sleep 1000"))).toEqual({
        ok: true,
        value: null,
      });
      expect([...(await instancesOf(supervisor)).keys()]).toEqual(["web-1-0", "web-2-0"]);
      for (const name of ["web-1-0", "web-2-0"])
        expect(await supervisor.stop(home.project, name)).toEqual({ ok: true, value: null });
      disk.clear();
      expect(await endSupervisor(home.options)).toEqual({ ok: true, value: null });
    } finally {
      disk.unmount();
    }
  });
});

describe("the supervisor of npm start", () => {
  it.each([
    ["the signal of its parent", "SIGTERM"],
    ["its parent's end", null],
  ] as const)("ends with its instances at %s", async (_what, signal) => {
    const home = await newHome();
    const child = spawn(process.execPath, [bundleAgent(), "supervise", "--home", home.home], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    await once(child, "message");
    const pid = await startServing(home, "web-1-0");
    expect(home.pid()).toBe(child.pid);
    if (signal === null) child.disconnect();
    else child.kill(signal);
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(isAlive(pid)).toBe(false);
  });

  it("does not wait for its instances when its parent ends after the signal", async () => {
    const home = await newHome();
    const child = spawn(process.execPath, [bundleAgent(), "supervise", "--home", home.home], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    await once(child, "message");
    await home
      .connect()
      .start(
        home.spec("web-1-0", "trap '' TERM; echo ready; while true; do sleep 1; done", { stop_seconds: 100 }),
      );
    await expect.poll(() => home.linesOf("web-1-0")).toEqual(["ready"]);
    const startedAt = performance.now();
    child.kill("SIGTERM");
    setTimeout(() => child.disconnect(), 300);
    await once(child, "exit");
    expect(performance.now() - startedAt).toBeLessThan(50_000);
  });
});
