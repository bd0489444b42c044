import { appendFileSync } from "node:fs";

import { afterEach, beforeEach, expect, it } from "vitest";

import type { FromAgent } from "#contract/agent-protocol.ts";
import type { AgentAnswer } from "#contract/agent-answers.ts";
import type { CommandReading } from "#contract/endpoints/commands/schemas.ts";

import { type AgentProcess, enrollAgent, spawnRunningAgent } from "../../agent/support/agent-process.ts";
import { ids, isAlive, AgentWorld } from "../../agent/support/harness.ts";

let world: AgentWorld;
let agent: AgentProcess;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  await enrollAgent(world);
  agent = await spawnRunningAgent(world, { args: ["--allow-commands"] });
});
afterEach(async () => {
  agent.child.kill("SIGTERM");
  await agent.exited;
  await world.close();
});

async function killAndStart(): Promise<void> {
  agent.child.kill("SIGKILL");
  await agent.exited;
  await world.control.waitFor("the end of the link", () => !world.control.isConnected);
  agent = await spawnRunningAgent(world, { args: ["--allow-commands"] });
}

type Output = Extract<FromAgent, { type: "output" }>;
const outputs = () =>
  world.control.messages.filter((message): message is Output => message.type === "output");

async function firstLines(reader: string, after: number | null): Promise<Output> {
  const { projectId: project_id } = world;
  world.control.send({ type: "follow_output", project_id, reader, lines: 100, after });
  return await world.control.waitFor(`the first lines for ${reader}`, () =>
    outputs().find((output) => output.reader === reader),
  );
}

it("An agent that is killed while output is followed sends later lines to the reader that comes back", async () => {
  const file = world.file("printed");
  const command = `: >> ${file}; echo ready; exec tail -n 0 -f ${file}`;
  const { result } = await world.deploy({ processes: { worker: { command } } });
  expect(result.outcome).toBe("live");
  const sent = () => outputs().flatMap(({ lines }) => lines);
  const seen = (message: string) =>
    world.control.waitFor(message, () => sent().find((line) => line.message === message));
  expect((await firstLines("one", null)).lines.map(({ message }) => message)).toEqual(["ready"]);
  appendFileSync(file, "before\n");
  const { line: last } = await seen("before");
  agent.child.kill("SIGKILL");
  await agent.exited;
  appendFileSync(file, "meanwhile\n");
  await world.control.waitFor("the end of the link", () => !world.control.isConnected);
  agent = await spawnRunningAgent(world, { args: ["--allow-commands"] });

  // It cannot know what the reader has, so it does not say that nothing is missing.
  expect(await firstLines("again", last)).toMatchObject({ left_out: null });
  appendFileSync(file, "after\n");
  expect((await seen("after")).line).toBeGreaterThan(last);
  expect(sent().filter(({ message }) => message === "after")).toHaveLength(1);
  const { lines } = await firstLines("new", null);
  expect(lines.map(({ message }) => message)).toEqual(["ready", "before", "meanwhile", "after"]);
});

type Asked = "start_command" | "read_command";

async function ask(type: Asked, id: ReturnType<typeof ids.command>): Promise<CommandReading> {
  const request_id = ids.command();
  const to = { request_id, project_id: world.projectId, command_id: id };
  const command = `echo $$ >> ${world.file("pids")}; echo up; sleep 600`;
  world.control.send(
    type === "start_command"
      ? { type, ...to, command, timeout_seconds: 600 }
      : { type, ...to, offset: 0, wait_ms: 10_000 },
  );
  const answer = await world.control.waitFor(`the answer to ${type}`, () =>
    world.control.messages.find(
      (one): one is Extract<AgentAnswer, { type: "command_read" }> =>
        one.type === "command_read" && one.request_id === request_id,
    ),
  );
  return answer.result;
}

it("A command whose agent is killed is lost: its reader gets its output and its end, and none of it runs", async () => {
  expect((await world.deploy()).result.outcome).toBe("live");
  const id = ids.command();
  expect(await ask("start_command", id)).toMatchObject({ ok: true });
  await world.control.waitFor("the command", () => world.pidsIn("pids").length > 0);
  // The agent notes output before it sends it.
  await expect
    .poll(() => ask("read_command", id))
    .toMatchObject({ lines: [{ stream: "stdout", message: "up" }] });
  await killAndStart();
  expect(await ask("read_command", id)).toMatchObject({
    ...{ ok: true, complete: true, lines: [{ stream: "stdout", message: "up" }] },
    state: { status: "lost", message: "was ended because the agent ended" },
  });
  await expect.poll(() => world.pidsIn("pids").filter(isAlive)).toEqual([]);
  // Asked for again, as by a caller that did not get the first answer, it is not started again.
  expect(await ask("start_command", id)).toMatchObject({ ok: true, state: { status: "lost" } });
  expect(world.pidsIn("pids")).toHaveLength(1);
});
