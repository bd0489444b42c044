import { existsSync, writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { TcpProxy } from "../../support/tcp-proxy.ts";
import { eventsOf, ids, messagesOf, AgentWorld } from "../../agent/support/harness.ts";
import { expectWholeProject } from "../../agent/support/whole-project.ts";

let world: AgentWorld;
let network: TcpProxy;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  network = new TcpProxy(Number(new URL(world.control.url).port));
  world.address = await network.listen();
  world.cleanUps.push(() => network.close());
});
afterEach(() => world.close());

const impatient = { pingMs: 30, answerMs: 300 };
const waits = () => `until [ -e ${world.file("go")} ]; do sleep 0.02; done`;
const letGo = () => writeFileSync(world.file("go"), "");

/** Starts a deployment, and waits until its build waits for `letGo`. */
async function startBuilding(options: { grantsPermit?: boolean } = {}) {
  const run = world.control.dispatch(
    world.order({ build_command: `echo begun; ${waits()}; seq 1 500; touch ${world.file("built")}` }),
    options,
  );
  await world.control.waitFor("the build", () => messagesOf(run).includes("begun"));
  return run;
}

describe("a link whose other end disappears without closing it", () => {
  it("is detected by its pings and opened again, and the current run continues and reports everything", async () => {
    await world.startAgent(impatient);
    const run = await startBuilding();
    const hellos = world.control.hellos;
    network.mode = "deaf";
    await world.control.waitForHello(hellos);
    expect(world.logLines).toContainEqual(expect.stringMatching(/it does not answer pings/));
    letGo();
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toHaveLength(501);
  });

  it("does not keep the agent from taking new orders when the network works again", async () => {
    await world.startAgent(impatient);
    const hellos = world.control.hellos;
    network.mode = "silent";
    await world.control.waitFor("the loss", () =>
      world.logLines.some((line) => /does not answer pings/.test(line)),
    );
    expect(world.control.hellos).toBe(hellos);
    network.mode = "open";
    await world.control.waitForHello(hellos);
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});

describe("an agent that loses the network before it has the permit", () => {
  it("does not switch during the outage, and continues after it", async () => {
    await world.startAgent(impatient);
    const run = await startBuilding();
    network.mode = "silent";
    letGo();
    await world.control.waitFor("the finished release", () => world.has("releases/1.json"));
    await world.control.waitFor("more losses", () => world.logLines.length > 2);
    expect(world.current).toBeNull();
    expect(eventsOf(run, "ready")).toEqual([]);
    network.mode = "open";
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(world.current).toBe("releases/1");
  });

  it("never switches if the control plane has ended the run meanwhile, and removes the run's files", async () => {
    await world.startAgent(impatient);
    const run = await startBuilding({ grantsPermit: false });
    letGo();
    await world.control.waitFor("the permit request", () => eventsOf(run, "ready").length === 1);
    network.mode = "silent";
    run.grantsPermit = true;
    run.instruction = "ended";
    expect(world.current).toBeNull();
    network.mode = "open";
    await expect.poll(() => world.has("run.json")).toBe(false);
    await expectWholeProject(world, [run.order.run_id]);
    expect(world.current).toBeNull();
    expect(world.releases).toEqual([]);
    expect(eventsOf(run, "result")).toEqual([]);
    expect((await world.deploy()).result.outcome).toBe("live");
  });
});

describe("an agent that loses the network after it has the permit", () => {
  it("finishes the run, and its result counts", async () => {
    await world.startAgent(impatient);
    const run = world.control.dispatch(world.order({ activate_command: `echo activating; ${waits()}` }));
    await world.control.waitFor("the switch", () => messagesOf(run).includes("activating"));
    network.mode = "silent";
    letGo();
    await world.control.waitFor("the decided result", () => /"decided"/.test(world.read("run.json")));
    expect(world.current).toBe("releases/1");
    network.mode = "open";
    expect((await world.control.result(run)).outcome).toBe("live");
  });
});

describe("a proxy that answers instead of the control plane", () => {
  it.each([302, 401, 403, 404, 410])(
    "with %i ends neither the agent nor its run, which continues and reports everything",
    async (status) => {
      await world.startAgent(impatient);
      const run = await startBuilding();
      const hellos = world.control.hellos;
      world.control.proxyStatus = status;
      world.control.cutLink();
      const refused = `it answered ${status}`;
      await world.control.waitFor("both refusals", () =>
        [`its events cannot be delivered: ${refused}`, `cannot be reached: ${refused}`].every((words) =>
          world.logLines.some((line) => line.includes(words)),
        ),
      );
      world.control.proxyStatus = null;
      await world.control.waitForHello(hellos);
      letGo();
      expect((await world.control.result(run)).outcome).toBe("live");
      expect(messagesOf(run, "stdout")).toHaveLength(501);
    },
  );
});

describe("a slow network", () => {
  it("only delays the deployment", async () => {
    network.mode = "slow";
    await world.startAgent({ pingMs: 2_000 });
    const { run, result } = await world.deploy({ build_command: "seq 1 500" });
    expect(result.outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toHaveLength(500);
  });
});

describe("a network that is cut repeatedly", () => {
  it("loses no event and duplicates none", async () => {
    await world.startAgent(impatient);
    const run = world.control.dispatch(
      world.order({ build_command: "for i in $(seq 60); do echo $i; sleep 0.02; done" }),
    );
    const cuts = setInterval(() => network.cut(), 150);
    world.cleanUps.push(() => clearInterval(cuts));
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(messagesOf(run, "stdout")).toEqual(Array.from({ length: 60 }, (_, index) => String(index + 1)));
  });
});

describe("messages that arrive twice, late or in another order", () => {
  it("do not start a run whose stop arrived first", async () => {
    await world.startAgent();
    const order = world.order({ preapproved: true, build_command: `touch ${world.file("begun")}` });
    world.control.stop(order);
    const run = world.control.dispatch(order);
    expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
    expect(existsSync(world.file("begun"))).toBe(false);
    expect(world.current).toBeNull();
  });

  it("do not affect the next run when a stop arrives for an ended run", async () => {
    await world.startAgent();
    const { order } = await world.deploy();
    const run = world.control.dispatch(world.order({ build_command: "sleep 0.2" }));
    world.control.stop(order);
    world.control.stop(order);
    expect((await world.control.result(run)).outcome).toBe("live");
  });

  it("end a run with one result when its stop arrives twice", async () => {
    await world.startAgent();
    const run = await startBuilding();
    world.control.stop(run.order);
    world.control.stop(run.order);
    expect(await world.control.result(run)).toEqual({ outcome: "canceled" });
  });

  it("remove a project twice when a deployment is between the two requests", async () => {
    await world.startAgent();
    await world.deploy();
    const project_id = world.projectId;
    world.control.send({ type: "remove_project", project_id, purge: false });
    const run = world.control.dispatch(world.order());
    world.control.send({ type: "remove_project", project_id, purge: false });
    expect((await world.control.result(run)).outcome).toBe("live");
    const answers = () => world.control.messages.filter(({ type }) => type === "project_removed");
    await world.control.waitFor("both answers", () => answers().length === 2);
    expect(world.current).toBeNull();
    expect(world.releases).toEqual([]);
  });

  it("build again for a run order and do nothing for a correction after the project was purged", async () => {
    await world.startAgent();
    await world.deploy();
    const project_id = world.projectId;
    world.control.send({ type: "remove_project", project_id, purge: true });
    await world.control.waitFor("the answer", () =>
      world.control.messages.some(({ type }) => type === "project_removed"),
    );
    world.control.send({ type: "correct_release", project_id, release: 1 });
    world.control.send({ type: "correct_release", project_id: ids.project(), release: 1 });
    await world.control.waitFor(
      "the log line",
      () => world.logLines.filter((line) => /not on this server/.test(line)).length === 2,
    );
    expect(world.has()).toBe(false);
    expect((await world.deploy({ reuse_release: 1 })).result.outcome).toBe("live");
  });
});
