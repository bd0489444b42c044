import { describe, expect, it } from "vitest";

import type { InstanceSpec, SupervisedInstance, Supervisor } from "#agent/apps/supervisor.ts";
import { initialProcess, supervisedOf } from "#contract/endpoints/processes/process-settings.ts";
import type { ProjectId } from "#contract/ids.ts";

import { freePort } from "./free-port.ts";

/** A supervisor, and the machine that its instances run on. */
export type SupervisorWorld = {
  readonly supervisor: Supervisor;
  readonly project: ProjectId;
  readonly release: number;
  /** A folder that the project's processes can write to, as they see it. */
  readonly folder: string;
  /** The program `node` of that machine. */
  readonly node: string;
  /** Reads a file of that machine; empty if it does not exist. */
  readText(path: string): Promise<string>;
  /** What an instance has printed. */
  readLog(name: string): Promise<string>;
  isAlive(pid: number): Promise<boolean>;
};

/** Listens on the port of its first argument until it ends. */
const LISTEN = `require("node:net").createServer().listen(+process.argv[1], "127.0.0.1", () => console.log("listens"));`;

/** Prints how often it got the signal to end, a moment after the first one. */
const COUNT = `let count = 0; const end = () => { console.log("ended by", count); process.exit(); }; process.on("SIGTERM", () => (count += 1) === 1 && setTimeout(end, 1000)); setInterval(() => undefined, 1e6); console.log("ready");`;

/** Takes its time to end, and the second signal ends it at once. */
const FINISH = `process.once("SIGTERM", () => setTimeout(() => { console.log("finished"); process.exit(); }, 1000)); setInterval(() => undefined, 1e6); console.log("ready");`;

/** Runs the program in its variable PROGRAM, passes the signal on, and waits for it as npm does. */
const FORWARD = `const child = require("node:child_process").spawn(process.execPath, ["-e", process.env.PROGRAM], { stdio: "inherit" }); process.on("SIGTERM", () => child.kill()); child.on("exit", () => process.exit());`;

/** The same without the wait, as Yarn 1 does. */
const FORWARD_AND_EXIT = FORWARD.replace("child.kill()", "process.exit(child.kill() ? 1 : 2)");

/** What every supervisor promises. Each test leaves no instance. */
export function describeSupervisor(kind: string, world: () => SupervisorWorld): void {
  let count = 0;
  /** A name that no other test uses. */
  const newName = (): string => `web-${(count += 1)}-0`;

  function specOf(name: string, script: string, change: Partial<InstanceSpec> = {}): InstanceSpec {
    const { project, release, folder } = world();
    return {
      project,
      name,
      release,
      command: {
        argv: ["/bin/sh", "-c", script],
        cwd: folder,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      },
      limits: { memoryMb: null, cpuWeight: 100, tasks: 512 },
      ...supervisedOf(initialProcess),
      ...change,
    };
  }

  async function start(script: string, change: Partial<InstanceSpec> = {}): Promise<string> {
    const name = change.name ?? newName();
    expect(await world().supervisor.start(specOf(name, script, change))).toEqual({ ok: true, value: null });
    return name;
  }

  async function stop(name: string): Promise<void> {
    expect(await world().supervisor.stop(world().project, name)).toEqual({ ok: true, value: null });
    expect(await find(name)).toBeUndefined();
  }

  async function find(name: string): Promise<SupervisedInstance | undefined> {
    const list = await world().supervisor.list(world().project);
    if (!list.ok) throw new Error(list.reason);
    return list.value.find((each) => each.name === name);
  }

  const file = (name: string): string => `${world().folder}/${name}`;
  const linesOf = async (name: string): Promise<readonly string[]> =>
    (await world().readLog(name)).split("\n").filter((line) => line !== "");
  const pidIn = async (name: string): Promise<number> => {
    await expect.poll(() => world().readText(file(name))).toMatch(/^\d+\n$/);
    return Number(await world().readText(file(name)));
  };

  describe(`the ${kind} supervisor`, () => {
    it("runs a command in its folder with its environment only, and appends its output to a file", async () => {
      const { folder } = world();
      const env = { PATH: "/usr/bin:/bin", TEXT_OF_TEST: "it's $HOME\nand more" };
      const script = `pwd; echo "$TEXT_OF_TEST"; echo wrong >&2; env | grep -c SECRET_OF_TEST; exec sleep 100`;
      process.env["SECRET_OF_TEST"] = "1";
      const name = newName();
      await start(script, { name, command: { argv: ["/bin/sh", "-c", script], cwd: folder, env } });
      delete process.env["SECRET_OF_TEST"];
      await expect.poll(() => linesOf(name)).toHaveLength(5);
      expect(await linesOf(name)).toEqual([folder, "it's $HOME", "and more", "wrong", "0"]);
      const running = await find(name);
      expect(running).toMatchObject({ state: "running", restarts: 0, lastExit: null });
      expect(Math.abs(Date.now() - (running?.startedAt ?? 0))).toBeLessThan(60_000);
      await stop(name);
      // The output of the next life follows.
      await start("echo again; exec sleep 100", { name });
      await expect.poll(() => linesOf(name)).toHaveLength(6);
      await stop(name);
    });

    it("starts an instance once, however often it is told to", async () => {
      const name = newName();
      await Promise.all([1, 2, 3].map(() => start("echo begins; exec sleep 100", { name })));
      await start("echo begins; exec sleep 100", { name });
      await expect.poll(() => linesOf(name)).toHaveLength(1);
      await stop(name);
      expect(await linesOf(name)).toEqual(["begins"]);
    });

    it("starts an instance again after it has ended, with twice the wait each time", async () => {
      const name = await start("date +%s%3N; exit 3");
      await expect.poll(() => linesOf(name)).toHaveLength(4);
      const times = (await linesOf(name)).map(Number);
      const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      for (const [index, least] of [200, 400, 800].entries()) {
        expect(waits[index]).toBeGreaterThanOrEqual(least - 20);
        // The machine may be slow, and busy with other tests.
        expect(waits[index]).toBeLessThan(least + 15_000);
      }
      await expect.poll(() => find(name)).toMatchObject({ state: "restarting", startedAt: null });
      const found = await find(name);
      expect(found?.lastExit).toEqual({ code: 3, signal: null, isOutOfMemory: false });
      expect(found?.restarts).toBeGreaterThanOrEqual(3);
      await stop(name);
      const { length } = await linesOf(name);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await linesOf(name)).toHaveLength(length);
    });

    it("tells which signal has ended an instance", async () => {
      const name = await start("kill -KILL $$");
      await expect
        .poll(async () => (await find(name))?.lastExit)
        .toEqual({ code: null, signal: "SIGKILL", isOutOfMemory: false });
      await stop(name);
    });

    it("treats a command that does not exist as a command that ends", async () => {
      const name = newName();
      const command = { argv: ["/nowhere/program"], cwd: world().folder, env: {} } as const;
      await start("", { name, command });
      await expect.poll(async () => (await find(name))?.restarts).toBeGreaterThan(0);
      expect((await find(name))?.lastExit?.code).not.toBe(0);
      await stop(name);
    });

    it("stops an instance with its own signal, and waits until it has finished", async () => {
      const script = `trap 'sleep 0.5; echo finished; exit 0' USR1; trap '' TERM; echo ready; while true; do sleep 0.1; done`;
      const name = await start(script, { stop_signal: "SIGUSR1" });
      await expect.poll(() => linesOf(name)).toEqual(["ready"]);
      const stopped = stop(name);
      await expect.poll(async () => (await find(name))?.state).toBe("stopping");
      await Promise.all([stopped, stop(name)]);
      expect(await linesOf(name)).toEqual(["ready", "finished"]);
    });

    it("lets the program of a shell finish too, which gets no signal from the shell", async () => {
      const name = await start(`${world().node} -e '${FINISH}'; echo never`);
      await expect.poll(() => linesOf(name)).toEqual(["ready"]);
      await stop(name);
      // The last line may take a moment to reach the file.
      await expect.poll(() => linesOf(name)).toEqual(["ready", "finished"]);
    });

    it("signals each of many programs that a shell leaves once", async () => {
      const others = "for n in $(seq 200); do sleep 1000 & done";
      const name = await start(`${world().node} -e '${COUNT}' & ${others}; echo started; wait`);
      await expect.poll(async () => (await linesOf(name)).toSorted()).toEqual(["ready", "started"]);
      await stop(name);
      await expect.poll(() => linesOf(name)).toContain("ended by 1");
    });

    it("leaves the signal of a program to its parent, which passes it on", async () => {
      const { node } = world();
      const name = await start(`PROGRAM='${COUNT}' ${node} -e '${FORWARD}'; echo never`);
      await expect.poll(() => linesOf(name)).toEqual(["ready"]);
      await stop(name);
      await expect.poll(() => linesOf(name)).toEqual(["ready", "ended by 1"]);
    });

    it("gives no second signal to a program whose parent has passed it on and ended", async () => {
      const { node } = world();
      const name = await start(`export PROGRAM='${FINISH}'; exec ${node} -e '${FORWARD_AND_EXIT}'`);
      await expect.poll(() => linesOf(name)).toEqual(["ready"]);
      await stop(name);
      await expect.poll(() => linesOf(name)).toEqual(["ready", "finished"]);
    });

    it("kills after the grace period whatever is left, also what has left the group", async () => {
      const name = await start(
        `trap '' TERM; sleep 1000 & echo $! > ${file("child")}; setsid sh -c 'trap "" TERM; echo $$ > ${file("stray")}; while true; do sleep 1; done' & wait; while true; do sleep 1; done`,
        { stop_seconds: 1 },
      );
      const pids = [await pidIn("child"), await pidIn("stray")];
      const startedAt = performance.now();
      await stop(name);
      expect(performance.now() - startedAt).toBeGreaterThan(900);
      for (const pid of pids) expect(await world().isAlive(pid)).toBe(false);
    });

    it("counts a command that goes to the background as ended", async () => {
      const name = await start(`sleep 1000 & echo $! > ${file("background")}; exit 0`);
      const pid = await pidIn("background");
      await expect.poll(async () => (await find(name))?.restarts).toBeGreaterThan(0);
      await expect.poll(() => world().isAlive(pid)).toBe(false);
      await stop(name);
    });

    it("lists the memory and the CPU time of all processes of an instance", async () => {
      const { node, project, supervisor } = world();
      const busy = `${node} -e 'const kept = Buffer.alloc(60e6, 1); while (process.cpuUsage().user < 4e5); setTimeout(() => kept, 1e6)' & wait`;
      const name = await start(busy);
      await expect.poll(async () => (await find(name))?.memoryBytes).toBeGreaterThan(60e6);
      await expect.poll(async () => (await find(name))?.cpuMs).toBeGreaterThan(200);
      expect((await find(name))?.cpuMs).toBeLessThan(60_000);
      const all = await supervisor.list(null);
      expect(all.ok && all.value.some((each) => each.name === name && each.project === project)).toBe(true);
      await stop(name);
    });

    it("knows whether a port is the instance's own", async () => {
      const { node, project, supervisor } = world();
      const port = await freePort();
      // The listener is a child, as under npm.
      const name = await start(`${node} -e '${LISTEN}' ${port} & wait`);
      await expect.poll(() => linesOf(name)).toEqual(["listens"]);
      const stranger = await start("exec sleep 1000");
      expect(await supervisor.listensOn(project, name, port)).toEqual({ ok: true, value: true });
      expect(await supervisor.listensOn(project, stranger, port)).toEqual({ ok: true, value: false });
      expect(await supervisor.listensOn(project, name, await freePort())).toEqual({ ok: true, value: false });
      await stop(name);
      await stop(stranger);
      expect(await supervisor.listensOn(project, name, port)).toMatchObject({ ok: false });
    });

    it("stops what is not there without an error", async () => {
      await stop(newName());
    });

    it.each(["../../escape-1-0", "web-1", "web-1-0\nweb-2-0", "web-1-0 web-2-0", "Web-1-0", "", "web-1-000"])(
      "refuses the name %j",
      async (name) => {
        const { project, supervisor } = world();
        expect(await supervisor.start(specOf(name, "exec sleep 1000"))).toMatchObject({ ok: false });
        expect(await supervisor.stop(project, name)).toMatchObject({ ok: false });
        expect(await supervisor.listensOn(project, name, 80)).toMatchObject({ ok: false });
      },
    );

    it("refuses what no program can get, and runs on", async () => {
      const { project, supervisor, folder } = world();
      const command = { argv: ["/bin/sh", "-c", "exec sleep 1000"], cwd: folder, env: {} } as const;
      for (const change of [
        { ...command, env: { A: "x".repeat(1024 * 1024) } },
        { ...command, env: { A: "x\0y" } },
        { ...command, env: { "A=B": "x" } },
        { ...command, cwd: "relative" },
        { ...command, argv: ["/bin/echo", "x".repeat(40 * 1024 * 1024)] as const },
      ])
        expect(await supervisor.start(specOf(newName(), "", { command: change }))).toMatchObject({
          ok: false,
        });
      expect(await supervisor.list(project)).toEqual({ ok: true, value: [] });
    });
  });
}
