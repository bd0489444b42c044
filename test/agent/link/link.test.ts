import { writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { closeCodes, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";

import { readLinkStatus } from "#agent/link/link-status.ts";

import { eventsOf, AgentWorld } from "../support/harness.ts";

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

describe("the link", () => {
  it("begins with a hello that reports what every project serves", async () => {
    const agent = await world.startAgent();
    await world.deploy();
    await agent.stop();
    await world.startAgent();
    expect(world.control.messages.at(-1)).toMatchObject({
      type: "hello",
      protocol: PROTOCOL_VERSION,
      disk: {
        total_bytes: expect.any(Number),
        free_bytes: expect.any(Number),
        cache_bytes: 0,
        image_bytes: 0,
        images: [],
      },
      projects: [{ project_id: world.projectId, release: 1, releases: [1], url: null }],
      runs: [],
    });
  });

  it("says what makes containers on the server, or why nothing does, when it begins and in each status", async () => {
    const problem = "This server is not set up for containers. ".repeat(20);
    world.engine = { kind: "missing", reason: problem };
    const agent = await world.startAgent({ statusMs: 50 });
    const said = () =>
      world.control.messages.flatMap((one) =>
        one.type === "hello" || one.type === "status" ? [{ type: one.type, containers: one.containers }] : [],
      );
    // Its whole reason could be too long for the control plane.
    const missing = { engine: null, problem: problem.slice(0, 500) };
    await world.control.waitFor("a status", () => said().length > 1);
    expect(said().slice(0, 2)).toEqual([
      { type: "hello", containers: missing },
      { type: "status", containers: missing },
    ]);
    expect(await readLinkStatus(world.home)).toMatchObject({ containers: missing });
    await agent.stop();
    world.engine = { kind: "podman", version: "5.4.2" };
    await world.startAgent();
    expect(said().at(-1)).toEqual({
      type: "hello",
      containers: { engine: "podman", version: "5.4.2" },
    });
  });

  it("is opened again after a cut, with a hello that names the current runs, which continue", async () => {
    await world.startAgent();
    const run = world.control.dispatch(world.order({ build_command: "sleep 0.6" }));
    await world.control.waitFor("the build", () => eventsOf(run, "stage").length === 2);
    const hellos = world.control.hellos;
    world.control.cutLink();
    await world.control.waitForHello(hellos);
    const { project_id, deployment_id, run_id } = run.order;
    expect(world.control.messages.at(-1)).toMatchObject({
      type: "hello",
      runs: [{ project_id, deployment_id, run_id }],
    });
    expect((await world.control.result(run)).outcome).toBe("live");
  });

  it("fails the run of an order that cannot be read, once, and says which field is wrong", async () => {
    await world.startAgent();
    const order = world.order();
    const run = world.control.expect(order);
    const wrong = { ...order, source: { ...order.source, repository: "ext::sh -c id" } };
    for (let count = 0; count < 2; count += 1)
      world.control.sendText(JSON.stringify({ type: "run", order: wrong }));
    expect(await world.control.result(run)).toEqual({
      outcome: "failed",
      failure: {
        ...{ code: "internal", stage: "fetch" },
        message: expect.stringMatching(/^the agent cannot read the order.*order\.source\.repository/s),
      },
    });
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(run.events).toHaveLength(1);
  });

  it("is closed after three pings without an answer", async () => {
    await world.startAgent({ pingMs: 30 });
    const hellos = world.control.hellos;
    world.control.answersPings = false;
    await world.control.waitForHello(hellos);
    expect(world.logLines).toContainEqual(expect.stringMatching(/it does not answer pings/));
  });

  it("sends the status every few minutes", async () => {
    await world.startAgent({ statusMs: 40 });
    await world.control.waitFor(
      "statuses",
      () => world.control.messages.filter(({ type }) => type === "status").length > 2,
    );
  });

  it("continues after an invalid message", async () => {
    await world.startAgent();
    world.control.sendText("{");
    world.control.sendText('{"type":"run","order":{"version":"; rm -rf /"}}');
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(world.logLines.filter((line) => /ignored an unknown message/.test(line))).toHaveLength(2);
  });

  it.each([
    [closeCodes.replaced, /Another agent of this server has taken over/],
    [closeCodes.credentialRevoked, /refuses this server's credential/],
  ])("ends the agent when it is closed with %i, and says why", async (code, message) => {
    const agent = await world.startAgent();
    world.control.closeLink(code);
    expect(await agent.ended).toMatch(message);
  });

  it("connects again when a refused credential is accepted in time, as after a database restore", async () => {
    const agent = await world.startAgent({ refusedGiveUpMs: 60_000 });
    world.control.acceptsCredential = false;
    world.control.closeLink(closeCodes.credentialRevoked);
    await expect.poll(() => world.logLines.join("\n")).toContain("The agent tries again for 1 minutes");
    world.control.acceptsCredential = true;
    await world.control.waitFor("the link", () => world.control.isConnected);
    expect((await world.deploy()).result.outcome).toBe("live");
    await agent.stop();
  });

  it("ends the agent when the credential is refused", async () => {
    const agent = await world.startAgent();
    world.control.acceptsCredential = false;
    world.control.cutLink();
    expect(await agent.ended).toMatch(/refuses this server's credential/);
  });
});

describe("a control plane of another version", () => {
  it.each([
    [
      PROTOCOL_VERSION + 1,
      /speaks protocol 2, the control plane 3\. Update the agent: curl -fsSL http.*\| sh\./,
    ],
    [
      PROTOCOL_VERSION - 1,
      /the control plane 1\. Update the control plane, or install the agent that it provides/,
    ],
  ])(
    "that speaks %i is retried until it is updated, and the remedy is logged once",
    async (protocol, said) => {
      world.control.protocol = protocol;
      await world.startAgent();
      const hellos = world.control.hellos;
      await world.control.waitForHello(hellos + 2);
      expect(world.logLines.filter((line) => said.test(line))).toHaveLength(1);
      expect(await readLinkStatus(world.home)).toMatchObject({
        connected: false,
        reason: expect.stringMatching(said),
      });
      world.control.protocol = PROTOCOL_VERSION;
      await world.control.waitFor("the link", () =>
        world.logLines.some((line) => line.startsWith("connected to")),
      );
      expect((await world.deploy()).result.outcome).toBe("live");
    },
  );

  it("that only closes the link with protocolMismatch is also retried", async () => {
    await world.startAgent();
    const hellos = world.control.hellos;
    world.control.closeLink(closeCodes.protocolMismatch);
    await world.control.waitForHello(hellos);
    expect(world.logLines).toContainEqual(
      expect.stringMatching(/the control plane another version\. Install the agent/),
    );
    expect((await world.deploy()).result.outcome).toBe("live");
  });

  it("that is newer within the protocol can send more: the agent ignores unknown fields and messages", async () => {
    world.control.additions = { since: "2027", region: { name: "fra" } };
    await world.startAgent();
    world.control.sendText('{"type":"inspect","project_id":"x"}');
    const order = { ...world.order(), colour: "blue", source: { ...world.order().source, depth: 1 } };
    const run = world.control.expect(order);
    world.control.sendText(JSON.stringify({ type: "run", order, priority: 1 }));
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(world.logLines.filter((line) => /ignored an unknown message/.test(line))).toHaveLength(1);
  });
});

describe("a correction of the served release", () => {
  it("switches to the live release, runs its activate command, and reports the change", async () => {
    await world.startAgent();
    await world.deploy({ activate_command: "echo again > ../../activated" });
    await world.deploy({ keep_releases: [1] });
    writeFileSync(world.path("activated"), "");
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    const serving = await world.control.waitFor("the serving message", () => {
      const last = world.control.messages.at(-1);
      return last?.type === "serving" ? last : null;
    });
    expect(serving.project).toMatchObject({ release: 1 });
    expect(world.current).toBe("releases/1");
    expect(world.read("activated")).toBe("again\n");
  });

  it("to a release that is not on the server changes nothing", async () => {
    await world.startAgent();
    await world.deploy();
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 9 });
    await world.control.waitFor("the log line", () =>
      world.logLines.some((line) => /releases\/9 should be live, but is not on this server/.test(line)),
    );
    expect(world.current).toBe("releases/1");
  });

  it("is ignored during a run", async () => {
    await world.startAgent();
    await world.deploy();
    const run = world.control.dispatch(world.order({ build_command: "sleep 0.3", keep_releases: [1] }));
    await world.control.waitFor("the build", () => eventsOf(run, "stage").length === 2);
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await world.control.result(run);
    expect(world.current).toBe("releases/2");
  });
});
