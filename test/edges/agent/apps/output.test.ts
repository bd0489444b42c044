import { appendFileSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { FromAgent } from "#contract/agent-protocol.ts";
import type { AppOutputLine } from "#contract/endpoints/output/schemas.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";
import { sealVariables } from "../../../agent/support/sealed-variables.ts";

type Output = Extract<FromAgent, { type: "output" }>;

let world: AgentWorld;
let agent: Awaited<ReturnType<typeof startAgent>>;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  agent = await startAgent();
});
afterEach(() => world.close());

const startAgent = () =>
  world.startAgent({
    outputBatchMs: 20,
    outputLingerMs: 200,
    maxInstanceLogBytes: 4000,
    outputCheckMs: 100,
    outputTimesMs: 20,
  });

/** A worker that prints text that is appended to a file, and none of the earlier text. */
const printer = (name: string) => ({
  command: `echo ready; : >> ${world.file(name)}; exec tail -n 0 -f ${world.file(name)}`,
});

/** Makes the worker print. */
const print = (name: string, ...lines: string[]) =>
  appendFileSync(world.file(name), lines.map((line) => `${line}\n`).join(""));

function follow(
  reader: string,
  {
    after = null,
    lines = 100,
    ...filter
  }: Partial<{ after: number | null; lines: number; process: string; instance: string }> = {},
) {
  const { projectId: project_id } = world;
  world.control.send({ type: "follow_output", project_id, reader, lines, after, ...filter });
}

const outputs = () =>
  world.control.messages.filter((message): message is Output => message.type === "output");
const firstFor = (reader: string) => outputs().find((output) => output.reader === reader);
const followed = () => outputs().flatMap(({ reader, lines }) => (reader === null ? lines : []));
const textsOf = (lines: readonly { readonly message: string }[]) => lines.map(({ message }) => message);

async function answerTo(reader: string): Promise<Output> {
  const found = () => firstFor(reader);
  await world.control.waitFor(`the first lines for ${reader}`, () => found() !== undefined);
  const output = found();
  if (output === undefined) throw new Error("no answer");
  return output;
}

const seen = async (message: string) => await expect.poll(() => textsOf(followed())).toContain(message);

describe("the output of instances", () => {
  it("is sent while somebody reads it, each line once and in order for all readers, and not otherwise", async () => {
    await world.deploy({ processes: { worker: printer("a") } });
    print("a", "nobody reads this");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(outputs()).toEqual([]);

    follow("one");
    expect(textsOf((await answerTo("one")).lines)).toEqual(["ready", "nobody reads this"]);
    print("a", "1", "2");
    await seen("2");
    follow("two", { lines: 1 });
    const second = await answerTo("two");
    expect(second.lines).toMatchObject([{ instance: "worker-1-0", message: "2" }]);
    print("a", "3");
    await seen("3");
    expect(textsOf(followed())).toEqual(["1", "2", "3"]);
    expect(followed().every(({ time }) => !Number.isNaN(Date.parse(time ?? "")))).toBe(true);
    const numbers = followed().map(({ line }) => line);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));

    world.control.send({ type: "stop_output", project_id: world.projectId });
    // A request that was sent later is answered later.
    await readLines({});
    const sent = outputs().length;
    print("a", "4");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(outputs()).toHaveLength(sent);
  });

  it("continues after the last line of a reader that comes back, or says that it cannot", async () => {
    await world.deploy({ processes: { worker: printer("a") } });
    follow("one");
    await answerTo("one");
    print("a", "1");
    await seen("1");
    world.control.send({ type: "stop_output", project_id: world.projectId });
    print("a", "2");
    const after = followed().at(-1)?.line ?? 0;
    follow("again", { after });
    await world.control.waitFor("the line", () =>
      textsOf(outputs().flatMap(({ lines }) => lines)).includes("2"),
    );
    expect((await answerTo("again")).left_out).toBe(0);
    follow("stranger", { after: 5 });
    expect(await answerTo("stranger")).toMatchObject({ lines: [], left_out: null });
  });

  it("has the time of each line that was printed while the agent ran, although nobody read it then", async () => {
    await world.deploy({ processes: { worker: printer("a") } });
    const printedAt = async (text: string) => {
      // The clock of files may be some milliseconds late.
      const from = new Date(Date.now() - 20).toISOString();
      print("a", text);
      await expect.poll(() => readFileSync(`${world.path("logs")}/worker-1-0.log`, "utf8")).toContain(text);
      // The agent looks each 20 ms.
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { from, until: new Date().toISOString() };
    };
    const printed = [await printedAt("one"), await printedAt("two")];
    const expectTimes = (lines: readonly AppOutputLine[]) => {
      expect(textsOf(lines).slice(0, 3)).toEqual(["ready", "one", "two"]);
      for (const [at, { from, until }] of printed.entries()) {
        const time = lines[at + 1]?.time ?? "";
        expect({ isAfter: time >= from, isBefore: time <= until }).toEqual({ isAfter: true, isBefore: true });
      }
    };
    expectTimes((await readLines({})).lines);
    follow("one");
    expectTimes((await answerTo("one")).lines);

    await agent.stop();
    print("a", "meanwhile");
    await expect.poll(() => readFileSync(`${world.path("logs")}/worker-1-0.log`, "utf8")).toContain("mean");
    // Nobody saw when, so the time of its last change proves nothing either.
    utimesSync(`${world.path("logs")}/worker-1-0.log`, 1, 1);
    await startAgent();
    await printedAt("after");
    const { lines } = await readLines({});
    expectTimes(lines);
    expect(lines.slice(3).map(({ message, time }) => [message, time !== undefined])).toEqual([
      ["meanwhile", false],
      ["after", true],
    ]);
  });

  it("loses no line when its file is emptied while it is followed", async () => {
    await world.deploy({ processes: { worker: printer("a") } });
    follow("one");
    await answerTo("one");
    const expected = Array.from({ length: 40 }, (_, at) => `${at} ${"x".repeat(300)}`);
    for (const line of expected) {
      print("a", line);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await seen(expected.at(-1) ?? "");
    expect(textsOf(followed())).toEqual(expected);
    expect(readdirSync(world.path("logs"))).toContain("worker-1-0.log.1");
    // The text that was moved to the second file is part of the last lines.
    const { lines } = await readLines({ lines: 8 });
    expect(textsOf(lines)).toEqual(expected.slice(-8));
    const times = lines.flatMap(({ time }) => time ?? []);
    expect(times).toHaveLength(8);
    expect(times).toEqual(times.toSorted());
  });

  it("says how many lines it leaves out when an app prints faster than they are sent", async () => {
    await world.deploy({ processes: { worker: printer("a") } });
    follow("one");
    await answerTo("one");
    const many = Array.from({ length: 3000 }, (_, at) => `${at} ${"y".repeat(100)}`);
    print("a", ...many);
    const count = () =>
      outputs().reduce(
        (sum, { lines, reader, left_out }) => sum + (reader === null ? lines.length + (left_out ?? 0) : 0),
        0,
      );
    await expect.poll(count).toBe(3000);
    expect(outputs().some(({ left_out }) => (left_out ?? 0) > 0)).toBe(true);
    for (const output of outputs()) expect(JSON.stringify(output).length).toBeLessThan(80 * 1024);
  });

  it("has the lines of the processes and instances that are asked for, of new instances too", async () => {
    const processes = { a: printer("a"), b: printer("b") };
    await world.deploy({ processes });
    follow("one");
    await answerTo("one");
    follow("b only", { process: "b" });
    expect(textsOf((await answerTo("b only")).lines)).toEqual(["ready"]);
    await world.deploy({ reuse_release: 1, preapproved: true, processes, restart: ["a"] });
    const newest = () => followed().filter(({ instance }) => instance === "a-2-0");
    await expect.poll(() => textsOf(newest())).toEqual(["ready"]);
    // The output of an instance that has ended is kept.
    expect(await readLines({ instance: "a-1-0" })).toMatchObject({ lines: [{ message: "ready" }] });
    expect(await readLines({ process: "c" })).toMatchObject({ lines: [] });
  });

  it("hides the values of secrets, also of secrets that a deployment has replaced meanwhile", async () => {
    const printSecret = { command: "while sleep 0.05; do echo $TOKEN.; done", stop_seconds: 0 };
    const deploy = async (value: string, revision: number, given = {}) =>
      await world.deploy({
        processes: { worker: printSecret },
        variables: await sealVariables(world, {}, { TOKEN: { value, revision } }, { revision }),
        ...given,
      });
    await deploy("first-password", 1);
    follow("one");
    await seen("***.");
    await deploy("second-password", 2, { reuse_release: 1, preapproved: true });
    const ofNew = () => followed().filter(({ instance }) => instance === "worker-2-0");
    await expect.poll(() => textsOf(ofNew())).toContain("***.");
    await readLines({ instance: "worker-1-0" });
    expect(JSON.stringify(world.control.messages)).not.toMatch(/(?:first|second)-password/);
  });

  it("is not shown while the variables whose values it may have cannot be read", async () => {
    const variables = await sealVariables(world, {}, { TOKEN: { value: "first-password" } });
    await world.deploy({ processes: { worker: { command: "echo $TOKEN; sleep 600" } }, variables });
    await agent.stop();
    writeFileSync(world.path("variables", "1.json"), "{");
    await startAgent();
    const reason = "the variables of release 1 cannot be read: it is damaged. Deploy again.";
    const message = `[gantry] The output of this instance is not shown: ${reason}`;
    expect((await readLines({})).lines).toEqual([{ instance: "worker-1-0", message }]);
  });

  it("is cut in lines that are too long, and never read through a link that the app made", async () => {
    await world.deploy({ processes: { worker: printer("a") } });
    print("a", "z".repeat(40_000));
    follow("one");
    await expect
      .poll(() => textsOf(outputs().flatMap(({ lines }) => lines)).find((text) => text.startsWith("zz")))
      .toMatch(/… \[\d+ bytes of this line are cut\]$/);
    writeFileSync(world.path("logs") + "/worker-8-0.log", "bye\n");
    expect(textsOf((await readLines({ ended: true })).lines)).toEqual(["bye"]);
    writeFileSync(world.file("secret"), "of the agent\n");
    symlinkSync(world.file("secret"), `${world.path("logs")}/worker-9-0.log`);
    expect(await readLines({ instance: "worker-9-0" })).toMatchObject({ lines: [] });
  });
});

let asked = 0;
async function readLines(filter: { lines?: number; process?: string; instance?: string; ended?: boolean }) {
  const request_id = `read-${(asked += 1)}`;
  world.control.send({
    ...{ type: "read_output", request_id, project_id: world.projectId, lines: 100, ended: false },
    ...filter,
  });
  const find = () =>
    world.control.messages.find((one) => one.type === "output_read" && one.request_id === request_id);
  await world.control.waitFor("the lines", () => find() !== undefined);
  const answer = find();
  if (answer?.type !== "output_read") throw new Error("no answer");
  return answer;
}
