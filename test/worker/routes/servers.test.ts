import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { Enrolled, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { Enrollment, Server, ServerCreated, ServerRows } from "#contract/endpoints/servers/schemas.ts";
import { isWellFormedToken } from "#contract/token-form.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";
import { createAccount, ids } from "../../support/worker/account.ts";
import { call, ORIGIN, problemOf } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import { makeToken } from "../../support/worker/tokens.ts";
import { copyWorld } from "../../support/worker/world-copy.ts";

const HOUR_MS = 3_600_000;

async function create(token: string, body: Record<string, unknown> = {}): Promise<Response> {
  return await call("/v1/servers", {
    method: "POST",
    token,
    body: { name: "web-1", ip: "192.0.2.1", ...body },
  });
}

async function created(token: string, body: Record<string, unknown> = {}): Promise<ServerCreated> {
  return ServerCreated.parse(await (await create(token, body)).json());
}

async function list(token: string, query = ""): Promise<ServerRows> {
  return ServerRows.parse(await (await call(`/v1/servers${query}`, { token })).json());
}

async function get(token: string, id: string): Promise<Server> {
  return Server.parse(await (await call(`/v1/servers/${id}`, { token })).json());
}

async function enroll(secret: string, more: Record<string, unknown> = {}): Promise<Response> {
  const body = { token: secret, hostname: "web-1", agent_version: "1.2.3", ...more };
  return await call("/v1/agent/enroll", { method: "POST", body });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a server", () => {
  it("is pending at first, with an enrolment token and the install command", async () => {
    const { token } = await createAccount();
    const response = await create(token);
    expect(response.status).toBe(201);
    const server = ServerCreated.parse(await response.json());
    expect(response.headers.get("location")).toBe(`/v1/servers/${server.id}`);
    const { enrollment, ...shown } = server;
    expect(shown).toEqual({
      id: expect.stringMatching(/^srv_/),
      name: "web-1",
      ip: "192.0.2.1",
      status: "pending",
      apps: 0,
      uptime: "0.00%",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      enrolled_at: null,
      last_seen_at: null,
      agent_version: null,
      agent_problem: null,
      disk: null,
      isolation: null,
      policy: null,
      uptime_days: [],
      seal_key: null,
      tools: null,
      ingress_problem: null,
      region: null,
      detected_region: null,
      taken_over_at: null,
      draining_since: null,
      address: null,
      detected_address: null,
      containers: null,
    });
    expect(await get(token, server.id)).toEqual(shown);
    expect(isWellFormedToken(enrollment.token, "enrollment")).toBe(true);
    expect(enrollment.command).toContain(enrollment.token);
    expect(enrollment.command).toContain(ORIGIN);
    expect(Date.parse(enrollment.expires_at)).toBe(Date.parse(server.created_at) + HOUR_MS);
  });

  it("is listed with exactly the fields of the specification, newest first", async () => {
    const { token } = await createAccount();
    const first = await created(token, { name: "web-1" });
    const second = await created(token, { name: "web-2" });
    const { servers, next_cursor } = await list(token);
    expect(next_cursor).toBeNull();
    expect(servers).toEqual([
      { id: second.id, name: "web-2", ip: "192.0.2.1", status: "pending", apps: 0, uptime: "0.00%" },
      { id: first.id, name: "web-1", ip: "192.0.2.1", status: "pending", apps: 0, uptime: "0.00%" },
    ]);
  });

  it("counts its projects", async () => {
    const { account, serverId } = await copyWorld();
    expect((await list(account.token)).servers).toMatchObject([{ id: serverId, apps: 1 }]);
    expect(await get(account.token, serverId)).toMatchObject({ apps: 1 });
  });

  it("needs a unique name in the account", async () => {
    const { token } = await createAccount();
    await create(token);
    const response = await create(token, { ip: "192.0.2.2" });
    expect(response.status).toBe(409);
    expect(await problemOf(response)).toMatchObject({ code: "name_taken" });
  });

  it("has the same name, whichever way its letters are written", async () => {
    const { token } = await createAccount();
    const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"];
    expect(await created(token, { name: decomposed })).toMatchObject({ name: composed });
    const again = await create(token, { name: composed, ip: "192.0.2.2" });
    expect(await problemOf(again)).toMatchObject({ code: "name_taken" });
  });

  it.each([
    [{ ip: "::1" }, "/ip"],
    [{ ip: "300.1.1.1" }, "/ip"],
    [{ ip: undefined }, "/ip"],
    [{ name: "" }, "/name"],
    [{ name: " web" }, "/name"],
    [{ name: "a\nb" }, "/name"],
    [{ name: 7 }, "/name"],
    [{ name: "x".repeat(101) }, "/name"],
  ])("is refused with %j, and the problem points to it", async (body, pointer) => {
    const { token } = await createAccount();
    const response = await create(token, body);
    expect(response.status).toBe(422);
    expect((await problemOf(response)).errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect((await list(token)).servers).toEqual([]);
  });

  it("is healthy while its agent is connected, degraded if its disk is nearly full, and offline afterwards", async () => {
    const project = await TestProject.connected();
    const id = project.agent.serverId;
    const status = async () => (await get(project.token, id)).status;
    await vi.waitFor(async () => expect(await status()).toBe("healthy"));
    const setFree = async (bytes: number) =>
      await env.DB.prepare("UPDATE servers SET disk_free_bytes = ? WHERE id = ?").bind(bytes, id).run();
    await setFree(0.04 * 100e9);
    expect(await status()).toBe("degraded");
    await env.DB.prepare("UPDATE servers SET disk_total_bytes = 8e9 WHERE id = ?").bind(id).run();
    await setFree(1e9);
    expect(await status()).toBe("degraded");
    await setFree(2e9);
    expect(await status()).toBe("healthy");
    project.agent.cut();
    await vi.waitFor(async () => expect(await status()).toBe("offline"));
  });

  it("shows whether its agent isolates projects and its policy, as the agent last reported them", async () => {
    const project = await TestProject.connected();
    const shown = async () => {
      const { isolation, policy } = await get(project.token, project.agent.serverId);
      return [isolation, policy];
    };
    await vi.waitFor(async () => expect(await shown()).toEqual(["none", "open"]));
    Object.assign(project.agent, { isolation: "projects", policy: "strict" });
    project.agent.status([]);
    await vi.waitFor(async () => expect(await shown()).toEqual(["projects", "strict"]));
  });

  it("lists the tools for builds that its agent last reported", async () => {
    const project = await TestProject.connected();
    const tools = async () => (await get(project.token, project.agent.serverId)).tools;
    expect(await tools()).toBeNull();
    project.agent.tools = [
      { name: "node", version: "24.1.0" },
      { name: "corepack", version: null },
    ];
    project.agent.status([]);
    await vi.waitFor(async () => expect(await tools()).toEqual(project.agent.tools));
    project.agent.tools = undefined;
    project.agent.status([]);
    await vi.waitFor(async () => expect(await tools()).toBeNull());
  });

  it("shows what makes containers, or why nothing does, as its agent last reported it", async () => {
    const project = await TestProject.connected();
    const { agent } = project;
    const containers = async () => (await get(project.token, agent.serverId)).containers;
    expect(await containers()).toBeNull();
    const reports = [
      { engine: "podman", version: "5.4.2" },
      { engine: null, problem: "podman does not start." },
      // An older agent was installed again.
      undefined,
    ] as const;
    for (const report of reports) {
      agent.containers = report;
      agent.status([]);
      await vi.waitFor(async () => expect(await containers()).toEqual(report ?? null));
    }
    agent.cut();
    agent.containers = reports[0];
    await agent.connect();
    await vi.waitFor(async () => expect(await containers()).toEqual(reports[0]));
  });

  it("shows what the caches and images of its projects take, if its agent reports it", async () => {
    const project = await TestProject.connected();
    const { agent } = project;
    const disk = async () => (await get(project.token, agent.serverId)).disk;
    await vi.waitFor(async () => expect(await disk()).toEqual(agent.disk));
    agent.disk = { ...agent.disk, cache_bytes: 7, image_bytes: 9 };
    agent.status([]);
    await vi.waitFor(async () => expect(await disk()).toEqual(agent.disk));
  });

  it("shows what the images of each project take, and a token that is limited to projects only theirs", async () => {
    const project = await TestProject.connected();
    const { agent } = project;
    const images = [
      { project_id: ids.project(), bytes: 9 },
      { project_id: project.id, bytes: 7 },
    ];
    agent.disk = { ...agent.disk, image_bytes: 16, images };
    agent.status([]);
    const shown = async (token: string) => (await get(token, agent.serverId)).disk?.images;
    await vi.waitFor(async () => expect(await shown(project.token)).toEqual(images));
    const limited = await makeToken(project.token, { scopes: ["servers:read"], project_ids: [project.id] });
    expect(await shown(limited.token)).toEqual(images.slice(1));
  });

  it("keeps the capabilities that its agent last connected with", async () => {
    const project = await TestProject.create();
    const { serverId } = project.agent;
    const recorded = async () => {
      const query = env.DB.prepare("SELECT capabilities FROM servers WHERE id = ?").bind(serverId);
      return await query.first("capabilities");
    };
    expect(await recorded()).toBeNull();
    project.agent.capabilities = ["fleet", "of_a_newer_agent"];
    await project.agent.connect();
    await vi.waitFor(async () => expect(await recorded()).toBe('["fleet","of_a_newer_agent"]'));
    project.agent.status([]);
    project.agent.cut();
    await vi.waitFor(async () => expect((await get(project.token, serverId)).status).toBe("offline"));
    expect(await recorded()).toBe('["fleet","of_a_newer_agent"]');
    // An older agent was installed again.
    project.agent.capabilities = [];
    await project.agent.connect();
    await vi.waitFor(async () => expect(await recorded()).toBe("[]"));
  });

  it("shows its uptime since its enrolment", async () => {
    const { account, serverId } = await copyWorld();
    const now = Date.UTC(2026, 5, 15, 12);
    vi.useFakeTimers({ toFake: ["Date"], now });
    const today = Math.floor(now / 86_400_000);
    await env.DB.prepare(
      "UPDATE servers SET enrolled_at = ?, connected_ms_by_day = ?, last_seen_at = ? WHERE id = ?",
    )
      .bind(now - 10 * HOUR_MS, JSON.stringify({ [today]: 9 * HOUR_MS }), now, serverId)
      .run();
    await env.DB.prepare("UPDATE tokens SET expires_at = ?")
      .bind(now + HOUR_MS)
      .run();
    expect(await get(account.token, serverId)).toMatchObject({
      uptime: "90.00%",
      uptime_days: [{ date: "2026-06-15", uptime: "90.00%" }],
      status: "offline",
    });
  });

  it("shows its uptime per day, including the current connection", async () => {
    const { account, serverId } = await copyWorld();
    const now = Date.UTC(2026, 5, 15, 12);
    vi.useFakeTimers({ toFake: ["Date"], now });
    const yesterday = Math.floor(now / 86_400_000) - 1;
    await env.DB.prepare(
      "UPDATE servers SET enrolled_at = ?, connected_ms_by_day = ?, connected_at = ?, last_seen_at = ? WHERE id = ?",
    )
      .bind(
        now - 36 * HOUR_MS,
        JSON.stringify({ [yesterday]: 6 * HOUR_MS }),
        now - 3 * HOUR_MS,
        now,
        serverId,
      )
      .run();
    await env.DB.prepare("UPDATE tokens SET expires_at = ?")
      .bind(now + HOUR_MS)
      .run();
    expect(await get(account.token, serverId)).toMatchObject({
      uptime_days: [
        { date: "2026-06-14", uptime: "25.00%" },
        { date: "2026-06-15", uptime: "25.00%" },
      ],
    });
  });
});

describe("an account's servers", () => {
  async function fill(accountId: string, count: number): Promise<void> {
    const insert = env.DB.prepare(
      "INSERT INTO servers (id, account_id, name, ip, created_at, connected_ms_by_day) VALUES (?, ?, ?, '192.0.2.1', 0, '{}')",
    );
    await env.DB.batch(
      Array.from({ length: count }, (_, at) => insert.bind(ids.server(), accountId, `s${at}`)),
    );
  }

  it("are limited to a thousand, even if two are created at the same time", async () => {
    const { id, token } = await createAccount();
    await fill(id, MAX_PER_ACCOUNT - 1);
    const responses = await Promise.all([create(token, { name: "a" }), create(token, { name: "b" })]);
    expect(responses.map((response) => String(response.status)).toSorted()).toEqual(["201", "409"]);
    const refused = responses.find((response) => response.status === 409);
    expect(refused && (await problemOf(refused))).toMatchObject({ code: "too_many" });
    expect((await list(token)).servers).toHaveLength(MAX_PER_ACCOUNT);
  });

  it("are paged with a limit, each row once, even if rows are added meanwhile", async () => {
    const { id, token } = await createAccount();
    await fill(id, 5);
    const all = (await list(token)).servers.map((server) => server.id);
    const seen: string[] = [];
    let path = "/v1/servers?limit=2";
    for (let page = 0; page < 3; page += 1) {
      const response = await call(path, { token });
      const { servers, next_cursor } = ServerRows.parse(await response.json());
      seen.push(...servers.map((server) => server.id));
      const next = response.headers.get("link");
      expect(next === null).toBe(next_cursor === null);
      if (next !== null) path = next.replace(/^<(.*)>; rel="next"$/, "$1").replace(ORIGIN, "");
      await create(token, { name: `new-${page}` });
    }
    expect(seen).toEqual(all);
  });

  it("refuse a cursor of another list and a modified cursor", async () => {
    const { id, token } = await createAccount();
    await fill(id, 3);
    const { next_cursor } = await list(token, "?limit=1");
    const tampered = [
      `${next_cursor}x`,
      "e30",
      btoa('["servers"]'),
      btoa('["servers","srv_1"]'),
      btoa('["projects",1]'),
    ];
    for (const cursor of tampered) {
      const response = await call(`/v1/servers?cursor=${encodeURIComponent(cursor)}`, { token });
      expect(response.status).toBe(422);
      expect((await problemOf(response)).errors?.[0]?.pointer).toBe("?cursor");
    }
    const elsewhere = await call(`/v1/projects?cursor=${next_cursor}`, { token });
    expect(elsewhere.status).toBe(422);
  });
});

describe("enrolment", () => {
  it("refuses an agent of another protocol without spending the token, and accepts an agent that sends more fields", async () => {
    const { token } = await createAccount();
    const { id, enrollment } = await created(token);
    const refused = await enroll(enrollment.token, { protocol: PROTOCOL_VERSION + 1 });
    expect(await problemOf(refused)).toMatchObject({
      status: 409,
      code: "protocol_mismatch",
      detail: expect.stringContaining("/install.sh"),
    });
    const response = await enroll(enrollment.token, { protocol: PROTOCOL_VERSION, region: "fra" });
    expect(await response.json()).toMatchObject({ server_id: id });
  });

  it("gives the agent its own credential, and works once", async () => {
    const { token } = await createAccount();
    const { id, enrollment } = await created(token);
    const response = await enroll(enrollment.token);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      server_id: id,
      credential: expect.stringMatching(/^gantry_agent_/),
    });
    const again = await enroll(enrollment.token);
    expect(again.status).toBe(401);
    expect(await problemOf(again)).toMatchObject({ code: "invalid_token" });
    const server = await get(token, id);
    expect(server).toMatchObject({ agent_version: "1.2.3", status: "pending" });
    expect(server.enrolled_at).not.toBeNull();
  });

  it("returns the same credential only to the agent that spent the token and lost the response", async () => {
    const { token } = await createAccount();
    const { id, enrollment } = await created(token);
    const attempt = "a".repeat(43);
    const first = Enrolled.parse(await (await enroll(enrollment.token, { attempt })).json());
    expect(first.server_id).toBe(id);
    const again = await enroll(enrollment.token, { attempt });
    expect(again.status).toBe(201);
    expect(Enrolled.parse(await again.json())).toEqual(first);
    expect((await enroll(enrollment.token, { attempt: "b".repeat(43) })).status).toBe(401);
    expect((await enroll(enrollment.token)).status).toBe(401);

    const renewed = await call(`/v1/servers/${id}/enrollment`, { method: "POST", token });
    const second = Enrollment.parse(await renewed.json());
    const other = Enrolled.parse(await (await enroll(second.token, { attempt })).json());
    expect(other.credential).not.toBe(first.credential);
    // Its credential is no longer valid.
    expect((await enroll(enrollment.token, { attempt })).status).toBe(401);
  });

  it("accepts only an attempt that cannot be guessed", async () => {
    const { token } = await createAccount();
    const { enrollment } = await created(token);
    expect((await enroll(enrollment.token, { attempt: "short" })).status).toBe(422);
    expect((await enroll(enrollment.token, { attempt: "c".repeat(43) })).status).toBe(201);
  });

  it("succeeds once if two agents use the token at the same time", async () => {
    const { token } = await createAccount();
    const { enrollment } = await created(token);
    const responses = await Promise.all(Array.from({ length: 8 }, () => enroll(enrollment.token)));
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.status === 401)).toHaveLength(7);
  });

  it("ends after an hour", async () => {
    const { token } = await createAccount();
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const { enrollment } = await created(token);
    vi.setSystemTime(now + HOUR_MS);
    expect((await enroll(enrollment.token)).status).toBe(401);
  });

  it("can be created again, which invalidates the earlier token and keeps the agent's credential until it is spent", async () => {
    const { token } = await createAccount();
    const { id, enrollment } = await created(token);
    const renew = async () => await call(`/v1/servers/${id}/enrollment`, { method: "POST", token });
    const second = Enrollment.parse(await (await renew()).json());
    expect((await enroll(enrollment.token)).status).toBe(401);
    const first = await enroll(second.token);
    expect(first.status).toBe(201);
    const enrolledAt = (await get(token, id)).enrolled_at;
    const third = Enrollment.parse(await (await renew()).json());
    expect((await enroll(third.token)).status).toBe(201);
    expect((await get(token, id)).enrolled_at).toBe(enrolledAt);
  });

  it("stores no secret in the database", async () => {
    const { token } = await createAccount();
    const { enrollment } = await created(token);
    const before = JSON.stringify((await env.DB.prepare("SELECT * FROM servers").all()).results);
    expect(before).not.toContain(enrollment.token);
    const { credential } = Enrolled.parse(await (await enroll(enrollment.token)).json());
    const after = JSON.stringify((await env.DB.prepare("SELECT * FROM servers").all()).results);
    expect(after).not.toContain(credential);
  });

  it("refuses a token of another kind", async () => {
    const { token } = await createAccount();
    expect((await enroll(token)).status).toBe(401);
    expect((await enroll("")).status).toBe(401);
  });
});
