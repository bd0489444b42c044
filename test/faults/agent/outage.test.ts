import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { enrollAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { eventsOf, messagesOf, AgentWorld } from "../../agent/support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
const spoolOf = (runId: string) => world.path("spool", `${runId}.ndjson`);
const hasSpooled = (runId: string, text: string) =>
  existsSync(spoolOf(runId)) && readFileSync(spoolOf(runId), "utf8").includes(text);
/** No spool file may be left. */
const expectNoSpool = () => expect.poll(() => world.has("spool")).toBe(false);

/** Commands of a build that waits until the control plane is unreachable. */
const untilCut = () => `until [ -e ${world.file("cut")} ]; do sleep 0.05; done`;
function cut(): void {
  world.control.faultOf = () => "lost";
  writeFileSync(world.file("cut"), "");
}

describe("a control plane that is unreachable for long", () => {
  it("receives the complete output when it returns, in order and once, and the build does not wait", async () => {
    await world.startAgent({ spillMs: 50, spillBytes: 20_000 });
    const finished = join(world.folder, "finished");
    const run = world.control.dispatch(
      world.order({ build_command: `echo begun; ${untilCut()}; seq 1 100000; touch ${finished}` }),
    );
    await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
    cut();
    await world.control.waitFor("the build's end", () => existsSync(finished));
    expect(messagesOf(run, "stdout")).toEqual(["begun"]);
    world.control.faultOf = () => null;
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toEqual(["begun", ...numbers(1, 100_000)]);
    await expectNoSpool();
  });

  it("receives it even if the agent was killed meanwhile, followed by that result", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    const go = join(world.folder, "go");
    const run = world.control.dispatch(
      world.order({
        build_command: `echo begun; until [ -e ${go} ]; do sleep 0.02; done; seq 1 20000; echo last; sleep 1000`,
      }),
    );
    await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
    world.control.faultOf = ({ count }) => (count % 2 === 0 ? "lost" : 503);
    writeFileSync(go, "");
    const { run_id } = run.order;
    await world.control.waitFor("the last line on disk", () => hasSpooled(run_id, '"last"'));
    first.child.kill("SIGKILL");
    await first.exited;

    const second = await spawnRunningAgent(world);
    const { posts } = run;
    await world.control.waitFor("some retries", () => run.posts > posts + 2);
    second.child.kill("SIGKILL");
    await second.exited;
    world.control.faultOf = ({ count }) => (count % 5 === 0 ? "answer_lost" : null);
    const third = await spawnRunningAgent(world);
    expect(await world.control.result(run)).toMatchObject({
      outcome: "failed",
      failure: { code: "server_lost", stage: "build" },
    });
    expect(messagesOf(run, "stdout")).toEqual(["begun", ...numbers(1, 20_000), "last"]);
    expect(eventsOf(run, "result")).toHaveLength(1);
    await expectNoSpool();
    await expect.poll(() => world.has("run.json")).toBe(false);
    third.child.kill("SIGTERM");
    await third.exited;
  });

  it("receives it after an agent that was stopped before delivery, with the same result", async () => {
    const first = await world.startAgent({ shutdownReportMs: 100 });
    const run = world.control.dispatch(
      world.order({ build_command: `echo begun; ${untilCut()}; seq 1 100` }),
    );
    await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
    cut();
    await world.control.waitFor("the wait for the permit", () => world.has("releases/1.json"));
    await first.stop();
    expect(hasSpooled(run.order.run_id, '"100"')).toBe(true);
    world.control.faultOf = () => null;
    await world.startAgent();
    expect(await world.control.result(run)).toMatchObject({ failure: { code: "server_lost" } });
    expect(messagesOf(run, "stdout")).toEqual(["begun", ...numbers(1, 100)]);
    await expectNoSpool();
  });

  it("receives only the result if only that was stored, and the file is removed", async () => {
    const first = await world.startAgent({ shutdownReportMs: 100 });
    const run = world.control.dispatch(world.order(), { grantsPermit: false });
    await world.control.waitFor("the request for the permit", () => eventsOf(run, "ready").length > 0);
    world.control.faultOf = () => "lost";
    await first.stop();
    expect(hasSpooled(run.order.run_id, '"result"')).toBe(true);
    expect(hasSpooled(run.order.run_id, '"output"')).toBe(false);
    world.control.faultOf = () => null;
    await world.startAgent();
    expect(await world.control.result(run)).toMatchObject({ failure: { code: "server_lost" } });
    await expectNoSpool();
  });

  it("receives no more events of a run that it has ended meanwhile, and no file of it stays", async () => {
    await enrollAgent(world);
    const first = await spawnRunningAgent(world);
    const run = world.control.dispatch(world.order({ build_command: "echo begun; sleep 1000" }));
    await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
    world.control.faultOf = () => "lost";
    first.child.kill("SIGKILL");
    await first.exited;
    run.instruction = "ended";
    world.control.faultOf = () => null;
    const second = await spawnRunningAgent(world);
    await expect.poll(() => world.has("run.json")).toBe(false);
    await expectNoSpool();
    expect(eventsOf(run, "result")).toEqual([]);
    second.child.kill("SIGTERM");
    await second.exited;
  });
});

describe("a deployment whose output is acknowledged immediately", () => {
  it("writes none of its output to the disk", async () => {
    await world.startAgent();
    const spooled: string[] = [];
    const { run } = await world.deploy({
      build_command: `seq 1 1000; ls ${world.path()}; sleep 0.3; ls ${world.path()}`,
    });
    spooled.push(...messagesOf(run, "stdout").filter((name) => name === "spool"));
    expect(spooled).toEqual([]);
    expect(readdirSync(world.path())).not.toContain("spool");
  });
});

describe("a build that writes a gigabyte", () => {
  /** The most memory that a process ever had, in bytes. Source: proc_pid_status(5). */
  const peakOf = (pid: number | undefined) =>
    1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

  it("is not slowed down when the log is full, and hardly increases the agent's memory", async () => {
    await enrollAgent(world);
    const agent = await spawnRunningAgent(world);
    await world.deploy({ build_command: "seq 1 2000" });
    const before = peakOf(agent.child.pid);
    const run = world.control.dispatch(
      world.order({
        build_command: `yes ${"y".repeat(60)} | head -c 1000000000; echo the end >&2; exit 1`,
      }),
    );
    const result = await world.control.result(run, 240_000);
    expect(result).toMatchObject({
      failure: { code: "build_failed", evidence: { stderr_tail: "the end\n" } },
    });
    // The agent does not hold the output. The growth is memory that is not garbage collected yet.
    expect(peakOf(agent.child.pid) - before).toBeLessThan(160 * 1024 * 1024);
    expect(messagesOf(run, "system")).toContainEqual(expect.stringMatching(/the log is full/));
    await expectNoSpool();
    agent.child.kill("SIGTERM");
    await agent.exited;
  });
});
