import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { MAX_LINK_MESSAGE } from "#contract/agent-protocol.ts";
import { sealSecret } from "#sealing/secret-box.ts";
import { defaultPlan } from "../../../support/plan.ts";
import { problemOf } from "../../../support/worker/call.ts";
import { enrolAgent } from "../../../support/worker/enrol-agent.ts";
import { failCalls } from "../../../support/worker/intercept.ts";
import { connectWithKeys, TestProject } from "../../../support/worker/project.ts";
import { newServerKeys, openSecrets, plainVariables } from "../../../support/seal-keys.ts";

const secret = (name: string, value: string, build = false) => ({ name, value, secret: true, build });

describe("an order", () => {
  it("contains the variables of the revision that the deployment records, with sealed secrets", async () => {
    const { project, keys } = await TestProject.withKeys();
    const { account_id } = await project.set(
      { name: "URL", value: "https://shop.test" },
      secret("PASSWORD", "correct-horse"),
      secret("NPM_TOKEN", "battery-staple", true),
    );
    const { id, order } = await project.deploy();
    expect((await project.deployment(id)).variables_revision).toBe(1);
    expect(order.variables).toMatchObject({ account_id, revision: 1, deployed: false });
    expect(plainVariables(order)).toEqual({ URL: "https://shop.test" });
    expect(await openSecrets(order, keys)).toEqual({
      NPM_TOKEN: "battery-staple",
      PASSWORD: "correct-horse",
    });
    expect(order.variables?.secrets).toMatchObject([
      { name: "NPM_TOKEN", build: true, revision: 1 },
      { name: "PASSWORD", build: false, revision: 1 },
    ]);
    expect(JSON.stringify(project.agent.received)).not.toMatch(/correct-horse|battery-staple/);
  });

  it("contains none if the project never had any", async () => {
    const project = await TestProject.connected();
    const { id, order } = await project.deploy();
    expect(order.variables).toBeUndefined();
    expect((await project.deployment(id)).variables_revision).toBeNull();
  });

  it("of a queued deployment has the variables of its start, also if they change while it waits", async () => {
    const { project } = await TestProject.withKeys();
    await project.set({ name: "A", value: "1" }, { name: "B", value: "1" });
    const first = await project.start();
    const second = await project.start();
    await project.call("PATCH", project.variablesPath, { set: [{ name: "A", value: "2" }], remove: ["B"] });
    const third = await project.start();
    const values = [];
    for (const { id } of [first, second, third]) {
      const order = await project.agent.orderOf(id);
      values.push([order.variables?.revision, plainVariables(order)]);
      await project.agent.completes(order);
    }
    expect(values).toEqual([
      [1, { A: "1", B: "1" }],
      [1, { A: "1", B: "1" }],
      [2, { A: "2" }],
    ]);
  });

  it("has the later revision if a request with an earlier one reaches the lane after it", async () => {
    const project = await TestProject.connected();
    const { account_id: accountId } = await project.set({ name: "A", value: "1" });
    await project.set({ name: "A", value: "2" });
    const { id: running, order } = await project.deploy();
    const lane = env.PROJECT_LANE.getByName(project.id);
    const late = await runInDurableObject(lane, async (object) =>
      object.start({
        owner: { accountId, projectId: project.id },
        requestKey: null,
        audit: null,
        serverId: (await project.deployment(running)).server_id,
        actor: { type: "token", id: "tok_ci", name: "ci" },
        person: null,
        plan: { ...defaultPlan, repository: order.source.repository },
        queue: "all",
        ifLive: null,
        emergency: null,
        variables: { revision: 1, notSealed: [] },
        approval: "none",
        freezes: { sequence: 0, rules: [] },
        input: {},
        defaultBranch: "main",
      }),
    );
    if (!late.ok) throw new Error(late.refusal.detail);
    const sent = await project.agent.orderOf(late.value.started.id);
    expect([sent.variables?.revision, plainVariables(sent)]).toEqual([2, { A: "2" }]);
  });

  it("waits while the database does not answer, and is complete afterwards", async () => {
    const { project, keys } = await TestProject.withKeys();
    await project.set(secret("PASSWORD", "correct-horse"));
    vi.spyOn(console, "error").mockImplementation(() => {});
    project.agent.cut();
    const { id } = await project.start();
    const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
    const downs = ["all", "raw"].map((method) => failCalls(statement, method));
    await project.agent.connect({ sealKey: keys.sealKey });
    await vi.waitFor(() => expect(downs.some((down) => down.count() > 0)).toBe(true));
    expect(project.agent.received.filter(({ type }) => type === "run")).toEqual([]);
    for (const down of downs) down.end();
    await runDurableObjectAlarm(env.PROJECT_LANE.getByName(project.id));
    const order = await project.agent.orderOf(id);
    expect(await openSecrets(order, keys)).toEqual({ PASSWORD: "correct-horse" });
    vi.restoreAllMocks();
  });

  it("has the same variables when it is sent again after a hello", async () => {
    const { project, keys } = await TestProject.withKeys();
    await project.set(secret("PASSWORD", "correct-horse"));
    const { id } = await project.start();
    const first = await project.agent.orderOf(id);
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect({ sealKey: keys.sealKey });
    const again = await project.agent.orderOf(id);
    expect(again.variables).toEqual(first.variables);
  });

  it("is shorter than a link message may be, with as many and as long values as a project can have", async () => {
    const { project } = await TestProject.withKeys();
    // The character whose JSON is longest for its bytes. A request has at most 1 MiB.
    const value = "\u0001".repeat(32_768);
    for (let at = 0; at < 16; at += 4)
      await project.set(...[0, 1, 2, 3].map((next) => ({ name: `P${at + next}`, value })));
    const names = Array.from({ length: 184 }, (_, at) => `S${at}_`.padEnd(128, "X"));
    await project.set(...names.map((name) => secret(name, "")));
    const order = await project.agent.orderOf((await project.start()).id);
    expect([order.variables?.plain.length, order.variables?.secrets.length]).toEqual([16, 184]);
    expect(plainVariables(order)["P15"]).toBe(value);
    expect(JSON.stringify({ type: "run", order }).length).toBeLessThan(MAX_LINK_MESSAGE);
  });
});

describe("a secret that the project's server cannot open", () => {
  it("refuses a start and a rollback after a move, with its name, until it is entered again", async () => {
    const { project } = await TestProject.withKeys();
    await project.set(
      { name: "URL", value: "1" },
      secret("B_KEY", "old-value-b"),
      secret("A_KEY", "old-value-a"),
    );
    await project.deploy();
    await project.deploy();
    const target = await enrolAgent(project.token, "web-2");
    const keys = await connectWithKeys(target, project.token);
    expect((await project.patch({ server_id: target.serverId })).status).toBe(200);
    expect((await project.variables()).not_sealed).toEqual(["A_KEY", "B_KEY"]);
    for (const path of [`/v1/projects/${project.id}/deployments`, "/v1/deploy", "/v1/rollback"]) {
      const body = path.endsWith("deployments") ? {} : { project_id: project.id };
      const problem = await problemOf(await project.post(path, body));
      expect(problem).toMatchObject({ status: 409, code: "secrets_not_sealed" });
      expect(problem.detail).toContain("A_KEY, B_KEY");
    }
    await project.set(secret("A_KEY", "new-value-a"));
    await project.call("PATCH", project.variablesPath, { remove: ["B_KEY"] });
    const { id } = await project.start();
    const order = await target.orderOf(id);
    expect(await openSecrets(order, keys)).toEqual({ A_KEY: "new-value-a" });
  });

  it("refuses a start after the server has lost its key, and is left empty in an order that was accepted before", async () => {
    const { project, keys } = await TestProject.withKeys();
    await project.set(secret("A_KEY", "old-value"));
    project.agent.cut();
    const { id } = await project.start();
    const lost = await connectWithKeys(project.agent, project.token);
    expect(lost.sealKey).not.toEqual(keys.sealKey);
    await vi.waitFor(async () => {
      const order = await project.agent.orderOf(id);
      // The order can be sent before the new key is in the database. Then the agent cannot open it either.
      expect(await openSecrets(order, lost)).toEqual({ A_KEY: null });
    });
    const refused = await problemOf(await project.post(`/v1/projects/${project.id}/deployments`, {}));
    expect(refused).toMatchObject({ code: "secrets_not_sealed", detail: expect.stringContaining("A_KEY") });
  });

  it("does not refuse a start if it is sealed for several servers and one of them is the project's", async () => {
    const { project, keys } = await TestProject.withKeys();
    await project.set({ name: "A", value: "1" });
    const other = await newServerKeys();
    const { account_id, project_id } = await project.variables();
    const place = { account_id, project_id, name: "KEY", revision: 2 };
    const sealed = await Promise.all(
      [other, keys].map(async ({ sealKey }) => await sealSecret(sealKey.public_key, place, "for-several")),
    );
    const body = { set: [{ name: "KEY", sealed, secret: true }], revision: 1 };
    expect((await project.call("PATCH", project.variablesPath, body)).status).toBe(200);
    const order = await project.agent.orderOf((await project.start()).id);
    expect(await openSecrets(order, keys)).toEqual({ KEY: "for-several" });
  });
});

describe("a rollback", () => {
  async function twiceDeployed() {
    const { project, keys } = await TestProject.withKeys();
    await project.set({ name: "URL", value: "one" }, secret("PASSWORD", "password-one"));
    await project.set(
      secret("GANTRY_REPOSITORY_TOKEN", "token-one"),
      secret("GANTRY_REGISTRY_TOKEN", "ada:one@ghcr.io"),
    );
    await project.deploy();
    await project.set({ name: "URL", value: "two" }, secret("PASSWORD", "password-two"));
    await project.set(
      secret("GANTRY_REPOSITORY_TOKEN", "token-two"),
      secret("GANTRY_REGISTRY_TOKEN", "ada:two@ghcr.io"),
    );
    await project.deploy();
    return { project, keys };
  }

  it("runs with today's variables", async () => {
    const { project, keys } = await twiceDeployed();
    const { id } = await project.rollBack();
    const order = await project.agent.orderOf(id);
    expect(order.variables).toMatchObject({ revision: 4, deployed: false });
    expect(plainVariables(order)).toEqual({ URL: "two" });
    expect(await openSecrets(order, keys)).toMatchObject({ PASSWORD: "password-two" });
    expect((await project.deployment(id)).variables_revision).toBe(4);
  });

  it("runs with its target's variables if asked, and with today's tokens", async () => {
    const { project, keys } = await twiceDeployed();
    const { id } = await project.rollBack({ variables: "deployed" });
    const order = await project.agent.orderOf(id);
    expect(order.variables).toMatchObject({ revision: 2, deployed: true });
    expect(plainVariables(order)).toEqual({ URL: "one" });
    expect(await openSecrets(order, keys)).toEqual({
      GANTRY_REGISTRY_TOKEN: "ada:two@ghcr.io",
      GANTRY_REPOSITORY_TOKEN: "token-two",
      PASSWORD: "password-one",
    });
    expect((await project.deployment(id)).variables_revision).toBe(2);
  });

  it("to a deployment from before the first variables has none if asked for its variables", async () => {
    const { project } = await TestProject.withKeys();
    await project.deploy();
    await project.set({ name: "URL", value: "two" });
    await project.deploy();
    const { id } = await project.rollBack({ variables: "deployed" });
    const order = await project.agent.orderOf(id);
    expect(order.variables).toMatchObject({ revision: 0, deployed: true, plain: [], secrets: [] });
    expect((await project.deployment(id)).variables_revision).toBeNull();
  });

  it("with earlier variables is refused if the server cannot open one of those, and not for later ones", async () => {
    const { project } = await twiceDeployed();
    const keys = await connectWithKeys(project.agent, project.token);
    await project.set(
      secret("PASSWORD", "password-three"),
      secret("GANTRY_REPOSITORY_TOKEN", "token-three"),
      secret("GANTRY_REGISTRY_TOKEN", "ada:three@ghcr.io"),
    );
    const earlier = { project_id: project.id, variables: "deployed" };
    const refused = await problemOf(await project.post("/v1/rollback", earlier));
    expect(refused.code).toBe("secrets_not_sealed");
    expect(refused.detail).toContain(": PASSWORD.");
    const { id } = await project.rollBack();
    expect(await openSecrets(await project.agent.orderOf(id), keys)).toMatchObject({
      PASSWORD: "password-three",
    });
  });
});
