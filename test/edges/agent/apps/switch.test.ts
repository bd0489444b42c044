import { existsSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunOrder } from "#contract/agent-order.ts";
import { AccountId } from "#contract/ids.ts";
import { HealthCheck } from "#contract/endpoints/projects/settings.ts";

import { messagesOf, AgentWorld } from "../../../agent/support/harness.ts";
import {
  notedInstances,
  runningInstances,
  slotAddresses,
  smallApp,
  smallWeb,
  visit,
} from "../../../agent/support/small-app.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit(smallApp("one"));
  await world.startAgent();
});
afterEach(() => world.close());

const web = { web: smallWeb };
/** A worker that notes its life in a file. */
const worker = (name: string) => ({
  command: `echo up $GANTRY_INSTANCE >> ${world.file(name)}; trap 'echo down $GANTRY_INSTANCE >> ${world.file(name)}; exit 0' TERM; while :; do sleep 0.05; done`,
});
/** The variables of an order with one value. */
const variables = (mode: string) => ({
  ...{ account_id: AccountId.parse(`acct_${"0".repeat(26)}`), revision: 1, deployed: false, secrets: [] },
  plain: [{ name: "MODE", value: mode }],
});
const live = { outcome: "live" };
const again = (release: number): Partial<RunOrder> => ({ reuse_release: release, preapproved: true });

describe("an instance that was replaced", () => {
  it("finishes its requests, and ends when nobody is connected to it", async () => {
    await world.deploy({ processes: web });
    world.control.send({ type: "read_processes", request_id: "look", project_id: world.projectId });
    const answer = await world.control.waitFor("the answer", () =>
      world.control.messages.find((message) => message.type === "processes_read"),
    );
    expect(answer).toMatchObject({
      request_id: "look",
      processes: [{ name: "web", instances: [{ name: "web-1-0", state: "live", last_exit: null }] }],
    });
    const [before = ""] = slotAddresses(world);
    const slow = fetch(`http://${before}/slow`).then((response) => response.text());
    world.repository.commit({ "version.txt": "two" });
    expect((await world.deploy({ processes: web })).result).toMatchObject(live);
    expect(await visit(world)).toBe("two web-2-0");
    expect(await slow).toBe("one web-1-0");
    // Long before the 30 s of the default.
    await expect.poll(() => notedInstances(world)).toEqual(["web-2-0"]);
  });

  it("gets the requests back at a rollback while it drains, and nothing is started", async () => {
    await world.deploy({ processes: web });
    const [before = ""] = slotAddresses(world);
    const socket = await openConnection(before);
    world.repository.commit({ "version.txt": "two" });
    await world.deploy({ processes: web, keep_releases: [1] });
    const { run, result } = await world.deploy({ ...again(1), processes: web, keep_releases: [1, 2] });
    expect(result).toMatchObject({ ...live, release: 1 });
    expect(slotAddresses(world)).toEqual([before]);
    expect(messagesOf(run, "system").filter((line) => line.startsWith("starting"))).toEqual([]);
    socket.destroy();
    await expect.poll(() => notedInstances(world)).toEqual(["web-1-0"]);
    expect(await visit(world)).toBe("one web-1-0");
  });
});

describe("a deployment without a build", () => {
  it("replaces the instances that its variables change, and keeps the others", async () => {
    const drain_seconds = 0;
    await world.deploy({ processes: web, variables: variables("one"), drain_seconds });
    await world.deploy({ ...again(1), processes: web, variables: variables("one"), drain_seconds });
    expect(notedInstances(world)).toEqual(["web-1-0"]);
    await world.deploy({ ...again(1), processes: web, variables: variables("two"), drain_seconds });
    expect(await visit(world, "/env/MODE")).toBe("two");
    await expect.poll(() => notedInstances(world)).toEqual(["web-3-0"]);
    await world.deploy({
      ...again(1),
      processes: web,
      variables: variables("two"),
      restart: ["web"],
      drain_seconds,
    });
    await expect.poll(() => notedInstances(world)).toEqual(["web-4-0"]);
  });

  it("stops a process, whose health is not checked then, and starts it again", async () => {
    await world.deploy({ processes: web, drain_seconds: 0 });
    const stopped = { web: { ...smallWeb, stopped: true } };
    const health_check = HealthCheck.parse({ path: "/up", tries: 1 });
    const { result } = await world.deploy({
      ...again(1),
      processes: stopped,
      health_check,
      drain_seconds: 0,
    });
    expect(result).toMatchObject(live);
    await expect.poll(() => notedInstances(world)).toEqual([]);
    expect(existsSync(`${world.home}/slots/${world.projectId}/stopped`)).toBe(true);
    await world.deploy({ ...again(1), processes: web });
    expect(await visit(world)).toBe("one web-3-0");
  });
});

describe("a worker", () => {
  it("overlaps with its replacement, or ends before it if it must not", async () => {
    const file = "overlap";
    await world.deploy({ processes: { worker: worker(file) } });
    await world.deploy({ ...again(1), processes: { worker: worker(file) }, restart: ["worker"] });
    await expect
      .poll(() => world.linesOf(file))
      .toEqual([...["up worker-1-0", "up worker-2-0", "down worker-1-0"]]);
    const alone = { ...worker(file), overlap: false };
    await world.deploy({ ...again(1), processes: { worker: alone }, restart: ["worker"] });
    expect(world.linesOf(file).slice(3)).toEqual(["down worker-2-0", "up worker-3-0"]);
  });

  it("that ends at once fails the deployment, and the earlier ones run", async () => {
    const good = { ...web, worker: worker("good") };
    await world.deploy({ processes: good });
    const bad = { ...web, worker: { command: "echo no queue; exit 4", overlap: false } };
    const { result } = await world.deploy({ ...again(1), processes: bad });
    expect(result).toMatchObject({
      failure: { code: "start_failed", message: "worker-2-0 ended with exit code 4" },
    });
    await expect.poll(() => world.linesOf("good").filter((line) => line === "up worker-1-0")).toHaveLength(2);
    expect(notedInstances(world)).toEqual(["web-1-0", "worker-1-0"]);
  });
});

describe("a deployment without the process web", () => {
  it("that fails leaves the domain with the earlier one", async () => {
    world.repository.commit({ "package.json": JSON.stringify({ dependencies: { express: "5" } }) });
    const order = () => ({ ...world.order(), install_command: null, output_directory: undefined });
    const first = world.control.dispatch({ ...order(), processes: web });
    expect(await world.control.result(first)).toMatchObject(live);
    const site: unknown = JSON.parse(world.read("site.json"));
    world.repository.git("mv", "server.js", "jobs.js");
    world.repository.commit({ "version.txt": "two" });
    const second = world.control.dispatch({ ...order(), processes: { worker: { command: "exit 4" } } });
    expect(await world.control.result(second)).toMatchObject({ failure: { code: "start_failed" } });
    expect(JSON.parse(world.read("site.json"))).toEqual(site);
  });
});

describe("a correction", () => {
  it("leads the domain to instances of the release that should be live", async () => {
    await world.deploy({ processes: web, drain_seconds: 0 });
    world.repository.commit({ "version.txt": "two" });
    await world.deploy({ processes: web, drain_seconds: 0, keep_releases: [1] });
    await expect.poll(() => notedInstances(world)).toEqual(["web-2-0"]);
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await expect.poll(() => visit(world)).toBe("one web-1-0");
    await expect.poll(() => runningInstances(world)).toEqual(["web-1-0"]);
    expect(world.current).toBe("releases/1");
  });
});

describe("instances", () => {
  it("lead back to the earlier release when the check of the new one fails after the switch", async () => {
    await world.deploy({ processes: web });
    world.repository.commit({ "version.txt": "two" });
    const url = "http://127.0.0.1:9/up";
    const health_check = HealthCheck.parse({ url, tries: 1 });
    const { domain } = world.order();
    const changed = { domain: "other.example.com", aliases: [{ domain: "www.example.com", redirect: true }] };
    const { result } = await world.deploy({ processes: web, health_check, ...changed });
    expect(result).toMatchObject({ failure: { code: "health_check_failed", stage: "verify" } });
    expect(await visit(world)).toBe("one web-1-0");
    expect(notedInstances(world)).toEqual(["web-1-0"]);
    expect(world.has("desired.next.json")).toBe(false);
    expect(JSON.parse(world.read("site.json"))).toMatchObject({ domain });
    expect(world.has("site.before.json")).toBe(false);
  });

  it("stay, and get the requests, while the disk refuses to record that they are live", async () => {
    const takePlaces = `mkdir kept && mv desired.json variables/1.json kept && mkdir -p desired.json/full variables/1.json/full`;
    const activate_command = `if [ -e ${world.file("refuse")} ]; then cd ${world.path()} && ${takePlaces}; fi`;
    const change = { processes: web, drain_seconds: 0 };
    await world.deploy({ ...change, activate_command, variables: variables("one") });
    writeFileSync(world.file("refuse"), "");
    const { result } = await world.deploy({ ...change, ...again(1), variables: variables("two") });
    expect(result).toMatchObject(live);
    expect(await visit(world)).toBe("one web-2-0");
    expect(runningInstances(world)).toContain("web-2-0");
    // The disk works again.
    for (const file of ["desired.json", "variables/1.json"]) rmSync(world.path(file), { recursive: true });
    await expect
      .poll(() => world.has("desired.json") && JSON.parse(world.read("desired.json")))
      .toMatchObject({ version: 2 });
    await expect.poll(() => notedInstances(world)).toEqual(["web-2-0"]);
    expect(await visit(world, "/env/MODE")).toBe("two");
    expect(world.read("variables", "1.json")).toContain('"two"');
  });

  it("run on and get the requests while what says that they must run cannot be read", async () => {
    await world.deploy({ processes: web });
    writeFileSync(world.path("desired.json"), "{");
    // For several checks.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await visit(world)).toBe("one web-1-0");
    const problems = () => world.logLines.filter((line) => line.includes("desired.json cannot be read"));
    await expect.poll(problems).toEqual([expect.stringContaining("it is damaged. The next deployment")]);
    world.repository.commit({ "version.txt": "two" });
    expect((await world.deploy({ processes: web })).result).toMatchObject(live);
    expect(await visit(world)).toBe("two web-2-0");
    await expect.poll(() => notedInstances(world)).toEqual(["web-2-0"]);
  });

  it("that end after they have passed their check fail the deployment", async () => {
    await world.deploy({ processes: web });
    const command = `exec node -e 'require("http").createServer((_, answer) => { answer.end(); setTimeout(() => process.exit(9), 50) }).listen(process.env.PORT, process.env.HOST)'`;
    const check = { status: 200, tries: 4, interval_seconds: 1, timeout_seconds: 5 };
    const health_check = HealthCheck.parse({ ...check, path: "/" });
    const { result } = await world.deploy({
      ...again(1),
      processes: { web: { command }, worker: worker("settles") },
      health_check,
    });
    expect(result).toMatchObject({
      failure: { code: "start_failed", message: "web-2-0 ended with exit code 9" },
    });
    expect(await visit(world)).toBe("one web-1-0");
  });

  it("get another port when another program has taken theirs while they were down", async () => {
    await world.deploy({ processes: web });
    const [before = ""] = slotAddresses(world);
    const stranger = createServer((socket) => socket.end());
    const port = Number(before.split(":")[1]);
    const listening = new Promise((resolve) => stranger.once("listening", resolve));
    stranger.on("error", () => setTimeout(() => stranger.listen(port, "127.0.0.1"), 5));
    await fetch(`http://${before}/exit`).catch(() => undefined);
    stranger.listen(port, "127.0.0.1");
    await listening;
    await expect.poll(() => visit(world).catch(String)).toBe("one web-1-0");
    expect(slotAddresses(world)).not.toEqual([before]);
    stranger.close();
  });

  it("end with their project", async () => {
    await world.deploy({ processes: { ...web, worker: worker("worker") } });
    const [address = ""] = slotAddresses(world);
    world.control.send({ type: "remove_project", project_id: world.projectId, purge: false });
    await world.control.waitFor("the answer", () =>
      world.control.messages.some(({ type }) => type === "project_removed"),
    );
    await expect(fetch(`http://${address}/`)).rejects.toThrow();
    expect(world.linesOf("worker")).toContain("down worker-1-0");
    expect(world.has("instances")).toBe(false);
    expect(world.has("desired.json")).toBe(false);
  });

  it("end when the project has no processes any more, and its files are served", async () => {
    await world.deploy({ processes: web, drain_seconds: 0 });
    const { run, result } = await world.deploy({ ...again(1), processes: {}, drain_seconds: 0 });
    expect(result).toMatchObject(live);
    expect(messagesOf(run, "stderr")).toEqual([]);
    await expect.poll(() => notedInstances(world)).toEqual([]);
  });

  it("that crash are reported as crash-looping, with the last lines of output", async () => {
    writeFileSync(world.file("broken"), "");
    const command = `exec node -e 'if (require("fs").existsSync("${world.file("broken")}") && process.uptime() < 100) { setTimeout(() => { console.log("lost the database"); process.exit(7) }, 400) }'`;
    await world.deploy({ processes: { worker: { command } } });
    const looping = await world.control.waitFor("the report", () =>
      world.control.messages.findLast(
        (message) =>
          message.type === "serving" &&
          message.project.processes?.[0]?.instances[0]?.state === "crash_looping",
      ),
    );
    expect(looping).toMatchObject({
      project: {
        processes: [
          {
            instances: [
              {
                last_exit: "ended with exit code 7",
                last_output: expect.stringContaining("lost the database"),
              },
            ],
          },
        ],
      },
    });
  });
});

async function openConnection(address: string) {
  const [host = "", port = ""] = address.split(":");
  const socket = connect(Number(port), host);
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}
