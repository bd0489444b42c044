import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { closeCodes, Enrolled } from "#contract/agent-protocol.ts";
import { Enrollment, Server, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { AccountId, ProjectId, ServerId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { deleteServer } from "#worker/db/servers/server-records.ts";
import { insertProject } from "#worker/db/projects/insert-project.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { updateProject } from "#worker/db/projects/update-project.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import { auditEntry } from "../../support/worker/recorded.ts";
import { TestProject } from "../../support/worker/project.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function serverOf({ agent, token }: TestProject): Promise<Server> {
  return Server.parse(await (await call(`/v1/servers/${agent.serverId}`, { token })).json());
}

describe("changing a server", () => {
  it("changes its name, its address, both or neither, and its agent stays connected", async () => {
    const project = await TestProject.connected();
    await expect.poll(async () => (await serverOf(project)).status).toBe("healthy");
    const path = `/v1/servers/${project.agent.serverId}`;
    const patched = async (body?: unknown) => {
      const response = await project.call("PATCH", path, body);
      expect(response.status).toBe(200);
      return Server.parse(await response.json());
    };
    expect(await patched({ name: "web-9" })).toMatchObject({ name: "web-9", ip: "192.0.2.10", apps: 1 });
    expect(await patched({ ip: "192.0.2.99" })).toMatchObject({ name: "web-9", ip: "192.0.2.99" });
    expect(await patched({})).toMatchObject({ name: "web-9", ip: "192.0.2.99", status: "healthy" });
    expect(await patched()).toMatchObject({ name: "web-9", ip: "192.0.2.99" });
    expect(project.agent.closed).toBeNull();
  });

  it.each([
    [{ name: null }, "/name"],
    [{ ip: "::1" }, "/ip"],
    [{ uptime: "100.00%" }, "/uptime"],
  ])("is refused with %j and a pointer to it", async (body, pointer) => {
    const { account, serverId } = await copyWorld();
    const response = await call(`/v1/servers/${serverId}`, { method: "PATCH", token: account.token, body });
    expect(response.status).toBe(422);
    expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it("requires a unique name only within the account", async () => {
    const [mine, theirs] = [await copyWorld("mine"), await copyWorld("theirs")];
    const agent = await enrolAgent(mine.account.token, "web-2");
    const rename = (name: string) =>
      call(`/v1/servers/${agent.serverId}`, { method: "PATCH", token: mine.account.token, body: { name } });
    expect(await problemOf(await rename("mine-1"))).toMatchObject({ status: 409, code: "name_taken" });
    expect((await rename("theirs-1")).status).toBe(200);
    const elsewhere = { method: "PATCH", token: mine.account.token, body: { name: "x" } };
    expect((await call(`/v1/servers/${theirs.serverId}`, elsewhere)).status).toBe(404);
  });
});

describe("deleting a server", () => {
  it("ends its agent's link and credential, and deletes all its data", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    expect((await project.remove()).status).toBe(204);
    const path = `/v1/servers/${project.agent.serverId}`;
    const deleted = await project.call("DELETE", path);
    expect([deleted.status, await deleted.text()]).toEqual([204, ""]);
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.credentialRevoked));
    expect((await project.get(path)).status).toBe(404);
    expect((await project.call("DELETE", path)).status).toBe(404);
    expect((await project.post(`${path}/enrollment`)).status).toBe(404);
    expect((await project.post("/v1/servers", { name: "web-1", ip: "192.0.2.10" })).status).toBe(201);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
    await expect(async () => project.agent.connect()).rejects.toThrow(/401/);
  });

  it("is refused while a project is on it", async () => {
    const { account, serverId } = await copyWorld();
    const remove = () => call(`/v1/servers/${serverId}`, { method: "DELETE", token: account.token });
    expect(await problemOf(await remove())).toMatchObject({ status: 409, code: "server_in_use" });
  });

  it("is refused while a deployment is queued for it, even if its project is moved", async () => {
    const project = await TestProject.create();
    await project.start();
    const to = await enrolAgent(project.token, "web-2");
    await project.patch({ server_id: to.serverId });
    const refused = await project.call("DELETE", `/v1/servers/${project.agent.serverId}`);
    expect(await problemOf(refused)).toMatchObject({ code: "server_in_use" });
  });

  it("or adding a project to it fails if both happen at the same time", async () => {
    const { account, projectId } = await copyWorld();
    const rows = new AccountRows(env.DB, AccountId.parse(account.id));
    const pattern = await findProject(rows, projectId);
    if (pattern === null) throw new Error("no project");
    const freshServer = async (name: string) =>
      ServerId.parse((await enrolAgent(account.token, name)).serverId);
    const project = (name: string, serverId: ServerId) => ({
      ...pattern,
      id: ProjectId.parse(ids.project()),
      name,
      domain: name,
      serverId,
    });

    const origin = () => ({ audit: auditEntry(), eventId: ids.event() });
    const first = await freshServer("first");
    expect(await deleteServer(rows, first, [])).toBe("deleted");
    expect(await insertProject(rows, project("a", first), null, [])).toBe("no_such_server");
    expect(
      await updateProject(rows, projectId, { server_id: first }, { mayMove: true, origin: origin() }),
    ).toBe("no_such_server");

    const second = await freshServer("second");
    expect(await insertProject(rows, project("b", second), null, [])).toBe("inserted");
    expect(await deleteServer(rows, second, [])).toBe("in_use");

    const third = await freshServer("third");
    expect(
      await updateProject(rows, projectId, { server_id: third }, { mayMove: true, origin: origin() }),
    ).toBe("updated");
    expect(await deleteServer(rows, third, [])).toBe("in_use");

    for (let round = 0; round < 6; round += 1) {
      const serverId = await freshServer(`round-${round}`);
      const body = { name: `round-${round}`, server_id: serverId, repository: "/srv/git/x.git" };
      const both = [
        () => call("/v1/projects", { method: "POST", token: account.token, body }),
        () => call(`/v1/servers/${serverId}`, { method: "DELETE", token: account.token }),
      ];
      const order = round % 2 === 0 ? both : both.toReversed();
      const statuses = (await Promise.all(order.map((ask) => ask()))).map(({ status }) => status);
      expect(["201,409", "204,422"]).toContain(statuses.map(String).toSorted().join());
    }
    const orphans = "SELECT id FROM projects WHERE server_id NOT IN (SELECT id FROM servers)";
    expect((await env.DB.prepare(orphans).all()).results).toEqual([]);
  });
});

describe("enrolling a server's agent again", () => {
  async function enrolAgain({ agent, token }: Pick<TestProject, "agent" | "token">): Promise<string> {
    const made = await call(`/v1/servers/${agent.serverId}/enrollment`, { method: "POST", token });
    const { token: secret } = Enrollment.parse(await made.json());
    expect(agent.closed).toBeNull();
    const body = { token: secret, hostname: "web-1", agent_version: "0.2.0" };
    return Enrolled.parse(await (await call("/v1/agent/enroll", { method: "POST", body })).json()).credential;
  }

  it("closes the link of the older agent and revokes its credential", async () => {
    const project = await TestProject.connected();
    const credential = await enrolAgain(project);
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.credentialRevoked));
    const newer = project.agent.sameAgent(credential);
    await newer.connect();
    await newer.receives("welcome");
    const { id } = await project.start();
    await newer.completes(await newer.orderOf(id));
    await project.reaches(id, "live");
    expect((await serverOf(project)).status).toBe("healthy");
  });

  it("ends the report that another machine took over the link", async () => {
    const project = await TestProject.connected();
    const copy = project.agent.sameAgent();
    await copy.connect();
    await vi.waitFor(async () => expect((await serverOf(project)).taken_over_at).not.toBeNull());
    const newer = copy.sameAgent(await enrolAgain({ agent: copy, token: project.token }));
    await newer.connect();
    await vi.waitFor(async () => expect((await serverOf(project)).taken_over_at).toBeNull());
  });

  it("refuses the older agent, even while its credential is cached", async () => {
    const project = await TestProject.connected();
    const credential = await enrolAgain(project);
    const newer = project.agent.sameAgent(credential);
    await newer.connect();
    await newer.receives("welcome");
    const older = project.agent.sameAgent();
    await older.connect();
    await vi.waitFor(() => expect(older.closed?.code).toBe(closeCodes.credentialRevoked));
    expect(older.received).toEqual([]);
    expect(newer.closed).toBeNull();
    await project.start();
    await newer.receives("run");
  });
});

describe("an enrolment token", () => {
  async function enrolmentBy(maker: string, serverId: string): Promise<string> {
    const made = await call(`/v1/servers/${serverId}/enrollment`, { method: "POST", token: maker });
    return Enrollment.parse(await made.json()).token;
  }
  const spend = (secret: string) =>
    call("/v1/agent/enroll", {
      method: "POST",
      body: { token: secret, hostname: "web-1", agent_version: "0.2.0" },
    });
  const change = (assignment: string, id: string) =>
    env.DB.prepare(`UPDATE tokens SET ${assignment} WHERE id = ?`).bind(id).run();

  it.each<[string, (maker: { id: string; secret: string }, owner: string) => Promise<unknown>]>([
    ["is revoked", ({ id }, token) => call(`/v1/tokens/${id}`, { method: "DELETE", token })],
    ["has expired", ({ id }) => change("expires_at = 1", id)],
    ["no longer exists", ({ id }) => env.DB.prepare("DELETE FROM tokens WHERE id = ?").bind(id).run()],
    ["lost its scope", ({ id }) => change(`scopes = '["servers:read"]'`, id)],
    ["was limited to projects", ({ id }) => change(`project_ids = '["${ids.project()}"]'`, id)],
    ["was moved to another account", ({ id }) => change(`account_id = '${ids.account()}'`, id)],
  ])("is refused after the API token that created it %s", async (_what, end) => {
    const { account, serverId } = await copyWorld();
    const maker = await createToken(account.id, { scopes: ["servers:write"] });
    const secret = await enrolmentBy(maker.secret, serverId);
    const before = await env.DB.prepare("SELECT * FROM servers").all();
    await end(maker, account.token);
    const refused = await spend(secret);
    expect(refused.status).toBe(401);
    expect(await problemOf(refused)).toMatchObject({ code: "invalid_token" });
    expect((await env.DB.prepare("SELECT * FROM servers").all()).results).toEqual(before.results);
    expect((await spend(await enrolmentBy(account.token, serverId))).status).toBe(201);
  });

  it("of a new server also ends with the API token that created it", async () => {
    const { account } = await copyWorld();
    const maker = await createToken(account.id, { scopes: ["servers:write"] });
    const body = { name: "web-9", ip: "192.0.2.9" };
    const made = await call("/v1/servers", { method: "POST", token: maker.secret, body });
    const { enrollment } = ServerCreated.parse(await made.json());
    await call(`/v1/tokens/${maker.id}`, { method: "DELETE", token: account.token });
    expect((await spend(enrollment.token)).status).toBe(401);
  });

  it("can be spent after the API token that created it was rotated", async () => {
    const { account, serverId } = await copyWorld();
    const maker = await createToken(account.id, { scopes: ["servers:write"] });
    const secret = await enrolmentBy(maker.secret, serverId);
    const rotate = `/v1/tokens/${maker.id}/rotate`;
    expect((await call(rotate, { method: "POST", token: account.token })).status).toBe(200);
    expect((await spend(secret)).status).toBe(201);
  });
});
