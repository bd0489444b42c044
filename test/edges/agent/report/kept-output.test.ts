import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventsOf, isAlive, linesOf, messagesOf, AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  world.cleanUps.push(endApps);
});
afterEach(() => world.close());

function endApps(): void {
  for (const pid of world.pidsIn("pids")) if (isAlive(pid)) process.kill(pid, "SIGKILL");
}

/** A server that an activate command starts in the background, with the command's own output. */
const app = (prints: string, every = 0.05) =>
  `sh -c 'echo $$ >> ${world.file("pids")}; while ${prints}; do echo on >> ${world.file("rounds")}; sleep ${every}; done' & until [ -s ${world.file("rounds")} ]; do sleep 0.02; done`;

async function expectRunning(): Promise<void> {
  const rounds = world.linesOf("rounds").length;
  await expect.poll(() => world.linesOf("rounds").length).toBeGreaterThan(rounds + 5);
  for (const pid of world.pidsIn("pids")) expect(isAlive(pid)).toBe(true);
}

const outputFiles = () => (world.has("output") ? readdirSync(world.path("output")).toSorted() : []);

describe("an app that shares the output of its activate command", () => {
  it("keeps running when it prints after the deployment, or after the agent's end", async () => {
    const agent = await world.startAgent();
    const { run, result } = await world.deploy({ activate_command: app("echo tick && echo tock >&2") });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toContain("tick");
    expect(messagesOf(run, "stderr")).toContain("tock");
    await expectRunning();
    await agent.stop();
    await expectRunning();
    expect(readFileSync(world.path("output", "1-1.stdout"), "utf8")).toMatch(/^(tick\n)+$/);
    expect(readFileSync(world.path("output", "1-1.stderr"), "utf8")).toMatch(/^(tock\n)+$/);
    expect(statSync(world.path("output", "1-1.stdout")).mode & 0o777).toBe(0o600);
  });

  it("is ended when its project is purged, and keeps running when only the releases are removed", async () => {
    await world.startAgent();
    await world.deploy({ activate_command: app("echo tick") });
    const removeProject = async (purge: boolean) => {
      world.control.send({ type: "remove_project", project_id: world.projectId, purge });
      const isAnswered = () => {
        const last = world.control.messages.at(-1);
        return last?.type === "project_removed" && last.purge === purge;
      };
      await world.control.waitFor("the answer", isAnswered);
    };
    await removeProject(false);
    await expectRunning();
    await removeProject(true);
    expect(world.pidsIn("pids").map(isAlive)).toEqual([false]);
    expect(existsSync(world.path())).toBe(false);
  });

  it("can print without end: its file is cut, and keeps the newest lines", async () => {
    await world.startAgent({ maxOutputFileBytes: 20_000, outputCheckMs: 50 });
    await world.deploy({
      activate_command: app(`head -c 2000 /dev/zero | tr "\\0" x && echo && date +%s%N`, 0.01),
    });
    const sizes: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      sizes.push(statSync(world.path("output", "1-1.stdout")).size);
    }
    await expectRunning();
    expect(Math.max(...sizes)).toBeGreaterThan(4_000);
    expect(Math.max(...sizes)).toBeLessThan(100_000);
    const stamps = readFileSync(world.path("output", "1-1.stdout"), "utf8").match(/^\d{19}$/gm) ?? [];
    const age = Date.now() - Number(stamps.at(-1)) / 1e6;
    expect(age).toBeLessThan(60_000);
  });

  it("leaves its unread output on the server until the next release, and no file if all was read", async () => {
    await world.startAgent({ outputCheckMs: 50 });
    await world.deploy({ activate_command: "echo done" });
    expect(outputFiles()).toEqual([]);
    await world.deploy({ activate_command: app("echo tick") });
    expect(outputFiles()).toEqual(["2-1.stderr", "2-1.stdout"]);
    endApps();
    await world.deploy({ activate_command: app("echo tock") });
    await expect.poll(outputFiles).toEqual(["3-1.stderr", "3-1.stdout"]);
  });
});

describe("the output of an activate command", () => {
  it("is sent as it is written, line by line, with passwords hidden", async () => {
    await world.startAgent({ pollOutputMs: 60_000 });
    const run = world.control.dispatch(
      world.order({
        activate_command: `echo first; echo https://me:s3cretword@example.com >&2; until [ -e ${world.file("go")} ]; do sleep 0.02; done; printf last`,
      }),
    );
    await world.control.waitFor("the first lines", () => messagesOf(run, "stderr").length === 1);
    expect(messagesOf(run, "stdout")).toEqual(["first"]);
    expect(messagesOf(run, "stderr")).toEqual(["https://me:***@example.com"]);
    writeFileSync(world.file("go"), "");
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toEqual(["first", "last"]);
    expect(linesOf(run).find(({ message }) => message === "first")?.stage).toBe("activate");
  });

  it("is read from a file that is emptied when it becomes too long", async () => {
    await world.startAgent({ maxOutputFileBytes: 2_000 });
    const printed = `${world.path("output")}/1-1.stdout`;
    const { run, result } = await world.deploy({
      // Without the pauses, all lines could be written between the two system calls that look at the size and empty the file.
      activate_command: `for i in $(seq 1500); do echo line $i; [ $((i % 100)) = 0 ] && sleep 0.03; done; until [ $(wc -c < ${printed}) -lt 4000 ]; do sleep 0.05; done; wc -c < ${printed}`,
    });
    expect(result.outcome).toBe("live");
    const lines = messagesOf(run, "stdout");
    expect(Number(lines.at(-1))).toBeLessThan(4_000);
    const numbers = lines.flatMap((line) => /^line (\d+)$/.exec(line)?.slice(1).map(Number) ?? []);
    const bytesOf = (some: readonly number[]) => some.map((number) => `line ${number}\n`).join("").length;
    // On a busy machine the command can be faster than the agent, which then drops the rest and says so.
    const dropped = messagesOf(run, "system").reduce(
      (sum, message) => sum + Number(/^(\d+) bytes of output are missing$/.exec(message)?.[1] ?? 0),
      0,
    );
    // A line that is written while the file is emptied can be lost.
    const written = bytesOf(Array.from({ length: 1_500 }, (_, at) => at + 1));
    expect(bytesOf(numbers) + dropped).toBeGreaterThan(0.9 * written);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it("does not make the agent wait for an app that keeps running", async () => {
    await world.startAgent({ outputGraceMs: 120_000 });
    const started = performance.now();
    const { run } = await world.deploy({
      // The pause lets the app leave the command's output before the command ends.
      activate_command: `sleep 1000 >/dev/null 2>&1 & echo $! >> ${world.file("pids")}; sleep 0.3`,
    });
    expect(performance.now() - started).toBeLessThan(100_000);
    expect(eventsOf(run, "result")).toHaveLength(1);
  });
});
