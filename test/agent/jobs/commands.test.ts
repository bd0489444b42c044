import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AgentAnswer } from "#contract/agent-answers.ts";
import type { AgentRequest } from "#contract/agent-requests.ts";
import { type CommandReading, MAX_KEPT_COMMANDS } from "#contract/endpoints/commands/schemas.ts";
import { createIdGenerator, type CommandId } from "#contract/ids.ts";
import { pruneCommands, writeCommandNote } from "#agent/jobs/command-notes.ts";
import { projectFolder } from "#agent/workspace/project-folder.ts";

import { ids, isAlive, AgentWorld } from "../support/harness.ts";

let world: AgentWorld;
let asked = 0;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.policy = { commands: "any" };
  world.repository.commit({ "index.html": "hello" });
});
afterEach(() => world.close());

/** Puts a release live. */
async function deploy(change: Parameters<AgentWorld["deploy"]>[0] = {}) {
  const { result } = await world.deploy(change);
  expect(result.outcome).toBe("live");
}

type Asked = AgentRequest extends infer Request
  ? Request extends { type: "start_command" | "read_command" | "stop_command" }
    ? Omit<Request, "request_id" | "project_id" | "command_id">
    : never
  : never;
type Read = Extract<CommandReading, { ok: true }>;

async function ask(command_id: CommandId, request: Asked): Promise<CommandReading> {
  const request_id = `request-${(asked += 1)}`;
  world.control.send({ ...request, request_id, command_id, project_id: world.projectId });
  const find = () =>
    world.control.messages.find(
      (one): one is Extract<AgentAnswer, { type: "command_read" }> =>
        one.type === "command_read" && one.request_id === request_id,
    );
  await world.control.waitFor(`the answer to ${request_id}`, () => find() !== undefined);
  return find()?.result ?? { ok: false, code: "failed", message: "no answer" };
}

async function read(id: CommandId, offset = 0, wait_ms = 10_000): Promise<Read> {
  const answer = await ask(id, { type: "read_command", offset, wait_ms });
  if (!answer.ok) throw new Error(answer.message);
  return answer;
}

const start = (id: CommandId, command: string, timeout_seconds = 60) =>
  ask(id, { type: "start_command", command, timeout_seconds });

/** Reads a command to its end, part by part. */
async function readAll(id: CommandId) {
  const lines: Read["lines"] = [];
  for (let offset = 0; ;) {
    const part = await read(id, offset);
    lines.push(...part.lines);
    offset = part.next_offset;
    if (part.complete) return { lines, state: part.state };
  }
}

async function run(command: string, timeout_seconds?: number) {
  const id = ids.command();
  const answer = await start(id, command, timeout_seconds);
  if (!answer.ok) throw new Error(answer.message);
  return await readAll(id);
}

describe("a one-off command", () => {
  it("runs in the live release with its variables, and its output and exit code are read to the end", async () => {
    world.repository.commit({
      "task.sh": 'echo "release $GANTRY_VERSION, $MOOD"; echo oops >&2; exit 3',
    });
    await world.startAgent();
    const variables = {
      ...{ account_id: ids.account(), revision: 1, deployed: false, secrets: [] },
      plain: [{ name: "MOOD", value: "hello" }],
    };
    await deploy({ variables });
    const { lines, state } = await run("sh task.sh");
    expect(lines).toContainEqual({ stream: "stdout", message: "release 1, hello" });
    expect(lines).toContainEqual({ stream: "stderr", message: "oops" });
    expect(state).toMatchObject({
      ...{ status: "exited", exit_code: 3, release: 1, message: "ended with exit code 3" },
    });
    world.control.send({ type: "list_commands", request_id: "list", project_id: world.projectId });
    await world.control.waitFor("the list", () =>
      world.control.messages.some(
        (one) => one.type === "commands_listed" && one.commands[0]?.state.exit_code === 3,
      ),
    );
  });

  it("is read while it runs, from any line on, and continues during a deployment", async () => {
    await world.startAgent();
    await deploy();
    const id = ids.command();
    const go = world.file("go");
    await start(id, `echo one; while [ ! -e ${go} ]; do sleep 0.02; done; echo two; ls`);
    const first = await read(id);
    expect(first).toMatchObject({
      lines: [{ message: "one" }],
      complete: false,
      state: { status: "running" },
    });
    world.repository.commit({ "new.txt": "" });
    await deploy();
    await deploy();
    expect(world.releases).toContain(1);
    const rest = ask(id, { type: "read_command", offset: first.next_offset, wait_ms: 10_000 });
    writeFileSync(go, "");
    expect(await rest).toMatchObject({
      lines: [{ message: "two" }, { message: "index.html" }],
    });
    expect((await readAll(id)).state).toMatchObject({ status: "exited", exit_code: 0 });
  });

  it("is started once, however often it is asked for", async () => {
    await world.startAgent();
    await deploy();
    const id = ids.command();
    const line = `echo x >> ${world.file("started")}`;
    await Promise.all([start(id, line), start(id, line)]);
    await readAll(id);
    expect(await start(id, line)).toMatchObject({ ok: true, state: { status: "exited" } });
    expect(world.linesOf("started")).toEqual(["x"]);
  });

  it("is stopped with all its processes when somebody asks for it or its time is over", async () => {
    await world.startAgent({ stopGraceMs: 100 });
    await deploy();
    const id = ids.command();
    await start(
      id,
      `trap '' TERM; (setsid sleep 600 & echo $! >> ${world.file("pids")}); echo up; sleep 600`,
    );
    await read(id);
    expect(await ask(id, { type: "stop_command" })).toMatchObject({ ok: true });
    expect((await readAll(id)).state).toMatchObject({ status: "stopped", exit_code: null });
    expect(world.pidsIn("pids").filter(isAlive)).toEqual([]);
    expect((await run("sleep 600", 1)).state).toMatchObject({
      ...{ status: "timed_out", message: "was stopped at its time limit" },
    });
  });

  it("ends with the agent, and with its project", async () => {
    const agent = await world.startAgent({ stopGraceMs: 100 });
    await deploy();
    const id = ids.command();
    await start(id, `echo $$ >> ${world.file("pids")}; echo up; sleep 600`);
    await read(id);
    await agent.stop();
    expect(world.pidsIn("pids").filter(isAlive)).toEqual([]);
    const folder = projectFolder(world.home, world.projectId);
    const unfinished = ids.command();
    const state = {
      ...{ exit_code: null, signal: null, message: null, release: 1, finished_at: null },
      ...{ status: "running" as const, started_at: "2026-11-20T09:14:43.090Z" },
    };
    await writeCommandNote(folder, { id: unfinished, state });
    await world.startAgent();
    const lost = { status: "lost", message: "was ended because the agent ended" };
    expect((await readAll(id)).state).toMatchObject(lost);
    expect((await readAll(unfinished)).state).toMatchObject(lost);
  });

  it("is not started in a project that is being removed", async () => {
    await world.startAgent();
    await deploy();
    // It does not end with SIGTERM, so the removal waits for it.
    const [ready, stopping] = [world.file("ready"), world.file("stopping")];
    const ignoring = `trap 'touch ${stopping}' TERM; touch ${ready}; while :; do sleep 0.05; done`;
    await start(ids.command(), ignoring);
    await expect.poll(() => existsSync(ready)).toBe(true);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await expect.poll(() => existsSync(stopping)).toBe(true);
    const late = ids.command();
    const answer = await start(late, `echo $$ >> ${world.file("late")}; sleep 600`);
    await world.control.waitFor("the removal", () =>
      world.control.messages.some(({ type }) => type === "project_removed"),
    );
    expect(answer).toMatchObject({ ok: false, code: "not_live" });
    expect(world.pidsIn("late")).toEqual([]);
  });
});

describe("the output of a one-off command", () => {
  it("is kept up to 5 MiB, and of the commands the newest 50", async () => {
    await world.startAgent();
    await deploy();
    const { lines } = await run(`i=0; while [ $i -lt 700 ]; do printf '%016000d\\n' $i; i=$((i + 1)); done`);
    expect(lines.length).toBeLessThan(400);
    expect(lines.at(-1)).toEqual({
      stream: "system",
      message:
        "The output takes more than 5 MiB on the server, with about 35 bytes more for each line. The rest is not kept.",
    });
    const folder = projectFolder(world.home, world.projectId);
    const { state } = await run("true");
    const old = createIdGenerator({ now: () => 1000, randomBytes: (count) => new Uint8Array(count) });
    const oldest = old.command();
    for (const id of [oldest, ...Array.from({ length: MAX_KEPT_COMMANDS }, () => ids.command())])
      await writeCommandNote(folder, { id, state });
    pruneCommands(folder);
    expect(await ask(oldest, { type: "read_command", offset: 0, wait_ms: 0 })).toMatchObject({
      ...{ ok: false, code: "unknown_command" },
    });
  });
});

describe("a server that does not run a command", () => {
  it("names the rule of its policy and the line to add", async () => {
    world.policy = {};
    await world.startAgent();
    await deploy();
    expect(await start(ids.command(), "true")).toMatchObject({
      ...{ ok: false, code: "refused_by_policy" },
      message: expect.stringContaining('"commands": "any"'),
    });
    expect(world.has("commands")).toBe(false);
  });

  it("says that nothing is live, or that five commands run", async () => {
    await world.startAgent({ stopGraceMs: 100 });
    expect(await start(ids.command(), "true")).toMatchObject({ ok: false, code: "not_live" });
    await deploy();
    for (let count = 0; count < 5; count += 1)
      expect(await start(ids.command(), "sleep 600")).toMatchObject({ ok: true });
    expect(await start(ids.command(), "true")).toMatchObject({ ok: false, code: "too_many" });
  });

  it("does not count commands that have ended while their end could not be stored", async () => {
    await world.startAgent();
    await deploy();
    const all = Array.from({ length: 5 }, () => ids.command());
    for (const id of all) await start(id, `until [ -f ${world.file("end")} ]; do sleep 0.05; done`);
    const { commands } = projectFolder(world.home, world.projectId);
    renameSync(commands, world.file("away"));
    writeFileSync(commands, "");
    writeFileSync(world.file("end"), "");
    for (const id of all) await expect.poll(async () => (await read(id, 0, 0)).state.status).toBe("exited");
    rmSync(commands);
    renameSync(world.file("away"), commands);
    expect((await run("true")).state.status).toBe("exited");
  });
});
