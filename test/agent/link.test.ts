import { writeFileSync } from "node:fs";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { closeCodes, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";

import { readLinkStatus } from "#agent/link/link-status.ts";

import { eventsOf, World } from "./support/harness.ts";

let world: World;
beforeEach(async () => {
  world = await World.create();
  world.repository.commit({ "index.html": "one" });
});
afterEach(() => world.close());

describe("the link", () => {
  it("begins with a greeting that tells what every project serves", async () => {
    const agent = await world.startAgent();
    await world.deploy();
    await agent.stop();
    await world.startAgent();
    expect(world.control.messages.at(-1)).toMatchObject({
      type: "hello",
      protocol: PROTOCOL_VERSION,
      disk: { total_bytes: expect.any(Number), free_bytes: expect.any(Number) },
      projects: [{ project_id: world.projectId, release: 1, releases: [1], url: null }],
      runs: [],
    });
  });

  it("that is cut is made again, with a greeting that names the runs under way; they do not notice", async () => {
    await world.startAgent();
    const run = world.control.dispatch(world.order({ build_command: "sleep 0.6" }));
    await world.control.waitFor("the build", () => eventsOf(run, "stage").length === 2);
    const greetings = world.control.messages.length;
    world.control.cutLink();
    await world.control.waitFor("a greeting", () => world.control.messages.length > greetings);
    const { project_id, deployment_id, run_id } = run.order;
    expect(world.control.messages.at(-1)).toMatchObject({
      type: "hello",
      runs: [{ project_id, deployment_id, run_id }],
    });
    expect((await world.control.result(run)).outcome).toBe("live");
  });

  it("that falls silent is given up after three pings without an answer", async () => {
    await world.startAgent({ pingMs: 30 });
    const greetings = world.control.messages.length;
    world.control.answersPings = false;
    await world.control.waitFor("a new link", () => world.control.messages.length > greetings);
    expect(world.said).toContainEqual(expect.stringMatching(/it does not answer pings/));
  });

  it("tells the status every few minutes", async () => {
    await world.startAgent({ statusMs: 40 });
    await world.control.waitFor(
      "statuses",
      () => world.control.messages.filter(({ type }) => type === "status").length > 2,
    );
  });

  it("goes on after a message that makes no sense", async () => {
    await world.startAgent();
    world.control.sendText("{");
    world.control.sendText('{"type":"run","order":{"version":"; rm -rf /"}}');
    expect((await world.deploy()).result.outcome).toBe("live");
    expect(world.said.filter((line) => /ignored an unknown message/.test(line))).toHaveLength(2);
  });

  it.each([
    [closeCodes.replaced, /Another agent of this server has taken over/],
    [closeCodes.credentialRevoked, /refuses this server's credential/],
  ])("ends the agent when it is closed with %i, and says why", async (code, message) => {
    const agent = await world.startAgent();
    world.control.closeLink(code);
    expect(await agent.ended).toMatch(message);
  });

  it("connects again when a refused credential is confirmed in time, as after a restored database", async () => {
    const agent = await world.startAgent({ refusedGiveUpMs: 60_000 });
    world.control.acceptsCredential = false;
    world.control.closeLink(closeCodes.credentialRevoked);
    await expect.poll(() => world.said.join("\n")).toContain("The agent tries again for 1 minutes");
    world.control.acceptsCredential = true;
    await world.control.waitFor("the greeting", () => world.control.isConnected);
    expect((await world.deploy()).result.outcome).toBe("live");
    await agent.stop();
  });

  it("ends the agent when the credential is refused at the door", async () => {
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
    "that speaks %i is tried again until it is updated, and what to do is said once",
    async (protocol, said) => {
      world.control.protocol = protocol;
      await world.startAgent();
      const greetings = world.control.messages.length;
      await world.control.waitFor("more tries", () => world.control.messages.length > greetings + 2);
      expect(world.said.filter((line) => said.test(line))).toHaveLength(1);
      expect(await readLinkStatus(world.home)).toMatchObject({
        connected: false,
        reason: expect.stringMatching(said),
      });
      world.control.protocol = PROTOCOL_VERSION;
      await world.control.waitFor("the link", () =>
        world.said.some((line) => line.startsWith("connected to")),
      );
      expect((await world.deploy()).result.outcome).toBe("live");
    },
  );

  it("that only closes the link as of another protocol is tried again as well", async () => {
    await world.startAgent();
    const greetings = world.control.messages.length;
    world.control.closeLink(closeCodes.protocolMismatch);
    await world.control.waitFor("a new link", () => world.control.messages.length > greetings);
    expect(world.said).toContainEqual(
      expect.stringMatching(/the control plane another version\. Install the agent/),
    );
    expect((await world.deploy()).result.outcome).toBe("live");
  });

  it("that is newer within the protocol may say more: fields are left out, and unknown messages passed over", async () => {
    world.control.additions = { since: "2027", region: { name: "fra" } };
    await world.startAgent();
    world.control.sendText('{"type":"inspect","project_id":"x"}');
    const order = { ...world.order(), colour: "blue", source: { ...world.order().source, depth: 1 } };
    const run = world.control.expect(order);
    world.control.sendText(JSON.stringify({ type: "run", order, priority: 1 }));
    expect((await world.control.result(run)).outcome).toBe("live");
    expect(world.said.filter((line) => /ignored an unknown message/.test(line))).toHaveLength(1);
  });
});

describe("a restore", () => {
  it("switches to the release that should be live, runs its activate command, and tells so", async () => {
    await world.startAgent();
    await world.deploy({ activate_command: "echo again > ../../activated" });
    await world.deploy({ keep_releases: [1] });
    writeFileSync(world.path("activated"), "");
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    const serving = await world.control.waitFor("what is served", () => {
      const last = world.control.messages.at(-1);
      return last?.type === "serving" ? last : null;
    });
    expect(serving.project).toMatchObject({ release: 1 });
    expect(world.current).toBe("releases/1");
    expect(world.read("activated")).toBe("again\n");
  });

  it("of a release that is not here changes nothing", async () => {
    await world.startAgent();
    await world.deploy();
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 9 });
    await world.control.waitFor("a word about it", () =>
      world.said.some((line) => /releases\/9 should be live, but is not on this server/.test(line)),
    );
    expect(world.current).toBe("releases/1");
  });

  it("while a run is under way is left to the run", async () => {
    await world.startAgent();
    await world.deploy();
    const run = world.control.dispatch(world.order({ build_command: "sleep 0.3", keep_releases: [1] }));
    await world.control.waitFor("the build", () => eventsOf(run, "stage").length === 2);
    world.control.send({ type: "correct_release", project_id: world.projectId, release: 1 });
    await world.control.result(run);
    expect(world.current).toBe("releases/2");
  });
});
