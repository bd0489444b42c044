import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { Variables, VariableRevisions } from "#contract/endpoints/variables/schemas.ts";
import { sealSecret } from "#sealing/secret-box.ts";
import { createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { connectWithKeys, TestProject } from "../../support/worker/project.ts";
import { newServerKeys } from "../../support/seal-keys.ts";

const fingerprint = "x".repeat(22);
const patch = (project: TestProject, body: unknown) => project.call("PATCH", project.variablesPath, body);

describe("the variables of a project", () => {
  it("are empty at first, with the key of its server", async () => {
    const { project, keys } = await TestProject.withKeys();
    const { account_id: _accountId, ...variables } = await project.variables();
    expect(variables).toEqual({
      project_id: project.id,
      server_id: project.agent.serverId,
      revision: 0,
      variables: [],
      seal_key: keys.sealKey,
      servers: [{ server_id: project.agent.serverId, seal_key: keys.sealKey }],
      not_sealed: [],
    });
  });

  it("show the values of plain variables, and never the values of secrets", async () => {
    const { project, keys } = await TestProject.withKeys();
    const response = await patch(project, {
      set: [
        { name: "URL", value: "https://shop.test/?a=1\n2" },
        { name: "PASSWORD", value: "correct-horse", secret: true },
        { name: "NPM_TOKEN", value: "battery-staple", secret: true, build: true },
      ],
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).not.toMatch(/correct-horse|battery-staple|"box"/);
    const changed = { revision: 1, changed_at: expect.any(String), changed_by: { name: "test" } };
    const sealed_for = [keys.sealKey.fingerprint];
    expect(Variables.parse(JSON.parse(text))).toMatchObject({
      revision: 1,
      not_sealed: [],
      variables: [
        { ...changed, name: "NPM_TOKEN", secret: true, build: true, sealed_for },
        { ...changed, name: "PASSWORD", secret: true, build: false, sealed_for },
        { ...changed, name: "URL", secret: false, value: "https://shop.test/?a=1\n2" },
      ],
    });
    expect(await project.variables()).toEqual(JSON.parse(text));
  });

  it("change as one revision, which lists who changed which names when", async () => {
    const { project } = await TestProject.withKeys();
    await project.set({ name: "A", value: "1" }, { name: "B", value: "2" });
    await patch(project, { set: [{ name: "A", value: "3" }], remove: ["B", "MISSING"] });
    expect((await project.variables()).variables).toMatchObject([{ name: "A", value: "3", revision: 2 }]);
    const page = await project.get(`${project.variablesPath}/revisions?limit=1`);
    const first = VariableRevisions.parse(await page.json());
    expect(first.revisions).toMatchObject([
      { revision: 2, set: ["A"], removed: ["B"], changed_by: { type: "token", name: "test" } },
    ]);
    const next = await project.get(
      `${project.variablesPath}/revisions?limit=1&cursor=${first.next_cursor ?? ""}`,
    );
    expect(VariableRevisions.parse(await next.json())).toMatchObject({
      revisions: [{ revision: 1, set: ["A", "B"], removed: [] }],
      next_cursor: null,
    });
  });

  it("have no new revision if nothing changes", async () => {
    const project = await TestProject.connected();
    await project.set({ name: "A", value: "1" });
    const same = await patch(project, { set: [{ name: "A", value: "1" }], remove: ["B"] });
    expect(await same.json()).toMatchObject({ revision: 1, variables: [{ name: "A", revision: 1 }] });
    expect(await (await patch(project, {})).json()).toMatchObject({ revision: 1 });
  });

  it("keep the build setting of a secret that gets a new value", async () => {
    const { project } = await TestProject.withKeys();
    await project.set({ name: "A", value: "first-value", secret: true, build: true });
    const replaced = await project.set({ name: "A", value: "second-value", secret: true });
    expect(replaced.variables).toMatchObject([{ name: "A", build: true, revision: 2 }]);
    const turned = await project.set({ name: "A", value: "third-value", secret: true, build: false });
    expect(turned.variables).toMatchObject([{ name: "A", build: false, revision: 3 }]);
  });

  it("are gone when the project is deleted", async () => {
    const { project } = await TestProject.withKeys();
    await project.set({ name: "A", value: "1" }, { name: "B", value: "secret-value", secret: true });
    expect((await project.remove()).status).toBe(204);
    for (const table of ["variables", "variable_revisions"])
      expect(await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n")).toBe(0);
  });
});

describe("a change of variables", () => {
  it("is refused if it was made for another revision", async () => {
    const project = await TestProject.connected();
    await project.set({ name: "A", value: "1" });
    const late = await patch(project, { set: [{ name: "A", value: "2" }], revision: 0 });
    expect(await problemOf(late)).toMatchObject({ status: 409, code: "revision_conflict" });
    const current = await patch(project, { set: [{ name: "A", value: "2" }], revision: 1 });
    expect(await current.json()).toMatchObject({ revision: 2 });
  });

  it("with a secret is refused while the server has no seal key, also if its agent is too old", async () => {
    const project = await TestProject.create();
    const secret = { set: [{ name: "A", value: "only-a-test", secret: true }] };
    expect(await problemOf(await patch(project, secret))).toMatchObject({ code: "no_seal_key" });
    await project.agent.connect();
    await project.agent.receives("welcome");
    const refused = await problemOf(await patch(project, secret));
    expect(refused).toMatchObject({ status: 409, code: "no_seal_key" });
    expect(JSON.stringify(refused)).not.toContain("only-a-test");
  });

  it("accepts a secret that the client has sealed for the next revision", async () => {
    const { project, keys } = await TestProject.withKeys();
    const { account_id, project_id, revision } = await project.variables();
    const place = { account_id, project_id, name: "A", revision: revision + 1 };
    const sealed = await sealSecret(keys.sealKey.public_key, place, "sealed-by-me");
    const body = { set: [{ name: "A", sealed: [sealed], secret: true }], revision };
    expect((await patch(project, body)).status).toBe(200);
    expect(await problemOf(await patch(project, body))).toMatchObject({ code: "revision_conflict" });
  });

  it("is refused if a secret is sealed for another server only", async () => {
    const { project } = await TestProject.withKeys();
    const other = await newServerKeys();
    const { account_id, project_id } = await project.variables();
    const place = { account_id, project_id, name: "A", revision: 1 };
    const sealed = [await sealSecret(other.sealKey.public_key, place, "sealed-for-another")];
    const response = await patch(project, { set: [{ name: "A", sealed, secret: true }], revision: 0 });
    expect(await problemOf(response)).toMatchObject({
      code: "secrets_not_sealed",
      detail: expect.stringContaining("A"),
    });
  });

  it.each([
    [{ name: "GANTRY_TOKEN", value: "1" }, "/set/0/name"],
    [{ name: "9LIVES", value: "1" }, "/set/0/name"],
    [{ name: "A", value: "only-a-test\0" }, "/set/0/value"],
    [{ name: "A", value: "only-a-test".repeat(3000) }, "/set/0/value"],
    [{ name: "A", value: "only-a-test", build: true }, "/set/0/build"],
    [{ name: "GANTRY_REPOSITORY_TOKEN", value: "only-a-test" }, "/set/0/secret"],
    [{ name: "GANTRY_REPOSITORY_TOKEN", value: "only-a-test", secret: true, build: true }, "/set/0/build"],
    [{ name: "GANTRY_REGISTRY_TOKEN", value: "ada:only-a-test@ghcr.io" }, "/set/0/secret"],
    [{ name: "GANTRY_REGISTRY_TOKEN", value: "only-a-test", secret: true }, "/set/0/value"],
    [{ name: "A", value: ["only-a-test"] }, "/set/0/value"],
    [
      { name: "A", secret: true, sealed: [{ fingerprint, box: "only-a-test".padEnd(65, "x") }] },
      "/set/0/sealed",
    ],
  ])("is refused for the variable %j, without the value in the answer", async (variable, pointer) => {
    const project = await TestProject.create();
    const problem = await problemOf(await patch(project, { set: [variable], revision: 0 }));
    expect(problem).toMatchObject({
      status: 422,
      errors: expect.arrayContaining([{ pointer, message: expect.any(String) }]),
    });
    expect(JSON.stringify(problem)).not.toContain("only-a-test");
  });

  it("is refused beyond 200 variables or 512 KiB of values", async () => {
    const project = await TestProject.create();
    const named = (count: number, value: string) =>
      Array.from({ length: count }, (_, at) => ({ name: `V${at}`, value }));
    expect((await patch(project, { set: named(200, "1") })).status).toBe(200);
    const more = await patch(project, { set: [{ name: "ONE_MORE", value: "1" }] });
    expect(await problemOf(more)).toMatchObject({ status: 409, code: "too_many" });
    expect((await patch(project, { set: named(16, "x".repeat(32_000)) })).status).toBe(200);
    const longer = await patch(project, { set: [{ name: "V17", value: "x".repeat(32_000) }] });
    expect(await problemOf(longer)).toMatchObject({ status: 409, code: "too_many" });
  });

  it("is made by a token that is limited to the project, and by no token of another project", async () => {
    const { project } = await TestProject.withKeys();
    const { account_id } = await project.set({ name: "A", value: "1" });
    const limited = await createToken(account_id, { projectIds: [project.id], scopes: ["projects:write"] });
    const body = { set: [{ name: "A", value: "2" }] };
    const own = { method: "PATCH", token: limited.secret, body };
    expect((await call(project.variablesPath, own)).status).toBe(200);
    const { project: other } = await TestProject.withKeys({ name: "other" });
    expect((await call(other.variablesPath, own)).status).toBe(404);
    for (const path of [other.variablesPath, `${other.variablesPath}/revisions`])
      expect((await call(path, { token: limited.secret })).status).toBe(404);
    const reader = await createToken(account_id, { scopes: ["projects:read"] });
    expect((await call(project.variablesPath, { ...own, token: reader.secret })).status).toBe(403);
    expect((await call(project.variablesPath, { token: reader.secret })).status).toBe(200);
  });
});

describe("the seal key of a server", () => {
  it("comes from its agent's last hello, and is null for an older agent", async () => {
    const { project } = await TestProject.withKeys();
    const { agent, token } = project;
    const keys = await connectWithKeys(agent, token);
    expect((await project.variables()).seal_key).toEqual(keys.sealKey);
    await agent.connect();
    await vi.waitFor(async () => expect((await project.variables()).seal_key).toBeNull());
  });

  it("is ignored if its fingerprint belongs to another key", async () => {
    const project = await TestProject.create();
    const { sealKey } = await newServerKeys();
    const other = (await newServerKeys()).sealKey;
    await project.agent.connect({ sealKey: { ...sealKey, fingerprint: other.fingerprint } });
    await vi.waitFor(async () => {
      const server = await project.get(`/v1/servers/${project.agent.serverId}`);
      expect(await server.json()).toMatchObject({ status: "healthy", seal_key: null });
    });
  });
});
