import { env, exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { Enrolled } from "#contract/agent-protocol.ts";
import { Server, ServerCreated } from "#contract/endpoints/servers/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { runSchedule } from "#worker/schedule/run-schedule.ts";
import { inJurisdiction, near } from "#worker/objects/location.ts";
import { createAccount } from "../support/worker/account.ts";
import { call, ORIGIN, problemOf } from "../support/worker/call.ts";
import { connectAgent } from "../support/worker/enrol-agent.ts";
import { aroundCalls, onCalls } from "../support/worker/intercept.ts";

// The local runtime ignores hints and has no jurisdictions, so these tests look at the requests to the runtime.

const frankfurt = { continent: "EU", longitude: "8.68" };
const sydney = { continent: "OC", longitude: "151.21" };

/** The hints with which objects are named until the test ends, by their names. An object is where its first one says. */
function recordHints(): Map<string, unknown[]> {
  const hints = new Map<string, unknown[]>();
  onCalls(Object.getPrototypeOf(env.PROJECT_LANE), "getByName", ([name, options]) => {
    const { locationHint = null } = z.object({ locationHint: z.string().optional() }).parse(options ?? {});
    hints.set(String(name), [...(hints.get(String(name)) ?? []), locationHint]);
  });
  return hints;
}

async function addServer(token: string, fields: Record<string, unknown> = {}): Promise<ServerCreated> {
  const body = { name: "web-1", ip: "192.0.2.1", ...fields };
  return ServerCreated.parse(await (await call("/v1/servers", { method: "POST", token, body })).json());
}

/** Enrols an agent from a place. */
async function enrolFrom(place: Record<string, string>, server: ServerCreated): Promise<string> {
  const response = await exports.default.fetch(
    new Request(`${ORIGIN}/v1/agent/enroll`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: server.enrollment.token, hostname: "web-1", agent_version: "1.2.3" }),
      cf: place,
    }),
  );
  return Enrolled.parse(await response.json()).credential;
}

async function addProject(token: string, serverId: string, fields: Record<string, unknown> = {}) {
  const body = { name: "shop", server_id: serverId, repository: "https://git.test/shop.git", ...fields };
  const created = await call("/v1/projects", { method: "POST", token, body });
  return z.object({ id: ProjectId }).parse(await created.json()).id;
}

const readServer = async (token: string, id: string) =>
  Server.parse(await (await call(`/v1/servers/${id}`, { token })).json());

describe("the objects of a server", () => {
  it("are created near the place that its agent enrols from", async () => {
    const { token } = await createAccount();
    const hints = recordHints();
    const server = await addServer(token);
    expect(server).toMatchObject({ region: null, detected_region: null });
    await enrolFrom(frankfurt, server);
    expect(hints.get(server.id)?.[0]).toBe("weur");
    expect(await readServer(token, server.id)).toMatchObject({ region: null, detected_region: "weur" });
    const projectId = await addProject(token, server.id);
    await call(`/v1/projects/${projectId}/deployments`, { method: "POST", token, body: {} });
    expect(hints.get(projectId)?.[0]).toBe("weur");
  });

  it("are created in the region that its owner has set", async () => {
    const { token } = await createAccount();
    const hints = recordHints();
    const server = await addServer(token, { region: "apac" });
    const credential = await enrolFrom(frankfurt, server);
    await connectAgent({ serverId: server.id, credential });
    expect(new Set(hints.get(server.id))).toEqual(new Set(["apac"]));
    const projectId = await addProject(token, server.id);
    await call(`/v1/rollback`, { method: "POST", token, body: { project_id: projectId } });
    expect(hints.get(projectId)?.[0]).toBe("apac");
    const path = `/v1/servers/${server.id}`;
    await call(path, { method: "PATCH", token, body: { region: "oc" } });
    expect(await readServer(token, server.id)).toMatchObject({ region: "oc", detected_region: "weur" });
    await call(path, { method: "PATCH", token, body: { region: null } });
    expect(await readServer(token, server.id)).toMatchObject({ region: null, detected_region: "weur" });
    const refused = await call(path, { method: "PATCH", token, body: { region: "mars" } });
    expect((await problemOf(refused)).code).toBe("invalid_request");
  });

  it("are not named by requests about its projects before its agent has enrolled", async () => {
    const { token } = await createAccount();
    const hints = recordHints();
    const server = await addServer(token);
    const projectId = await addProject(token, server.id, { repository: "git@git.test:shop.git" });
    for (const path of ["processes", "output", "deploy-key"]) {
      const response = await call(`/v1/projects/${projectId}/${path}`, { token });
      expect(response.status, path).toBeLessThan(500);
    }
    await call(`/v1/projects/${projectId}`, { method: "PATCH", token, body: { branch: "next" } });
    expect(hints.has(server.id)).toBe(false);
  });

  it("follow the place that its agent connects from", async () => {
    const { token } = await createAccount();
    const server = await addServer(token);
    const credential = await enrolFrom(frankfurt, server);
    const response = await exports.default.fetch(
      new Request(`${ORIGIN}/v1/agent/connect`, {
        headers: { upgrade: "websocket", authorization: `Bearer ${credential}` },
        cf: sydney,
      }),
    );
    response.webSocket?.accept();
    await connectAgent({ serverId: server.id, credential });
    await vi.waitFor(async () => expect((await readServer(token, server.id)).detected_region).toBe("oc"));
  });

  it("are created near it also by the schedule", async () => {
    const { token } = await createAccount();
    const server = await addServer(token);
    await enrolFrom(sydney, server);
    const projectId = await addProject(token, server.id);
    const hints = recordHints();
    await runSchedule(env, { now: () => Date.now() + 48 * 3_600_000 });
    expect(hints.get(projectId)?.[0]).toBe("oc");
  });
});

describe("the place of an installation", () => {
  it("is where objects are created while their server's is unknown", () => {
    expect(near(null, { LOCATION: "weur" })).toEqual({ locationHint: "weur" });
    expect(near("pending", { LOCATION: "weur" })).toEqual({ locationHint: "weur" });
    expect(near("oc", { LOCATION: "weur" })).toEqual({ locationHint: "oc" });
    expect([near(null, { LOCATION: "" }), near(null, { LOCATION: "Mars" })]).toEqual([{}, {}]);
  });

  it("is shown with the copy of the database that serves reads from here", async () => {
    const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
    aroundCalls(statement, "run", async (read) => {
      const { meta, ...rest } = z.looseObject({ meta: z.looseObject({}) }).parse(await read());
      // The local runtime says neither.
      expect(meta).not.toHaveProperty("served_by_region");
      return { ...rest, meta: { ...meta, served_by_region: "WEUR", served_by_primary: false } };
    });
    const database = { region: "WEUR", primary: false };
    expect(await (await call("/healthz?deep=true")).json()).toEqual({ status: "ok", database });
    expect(await (await call("/healthz")).json()).toEqual({ status: "ok" });
  });

  it("limits all objects to its jurisdiction", () => {
    const asked: unknown[] = [];
    aroundCalls(Object.getPrototypeOf(env.PROJECT_LANE), "jurisdiction", (_call, [name]) => {
      asked.push(name);
      return { limitedTo: name };
    });
    expect(inJurisdiction(env)).toBe(env);
    const limited = inJurisdiction({ ...env, JURISDICTION: "eu" });
    const objects = [limited.PROJECT_LANE, limited.AGENT_LINK, limited.EVENT_FEED, limited.OUTLET];
    expect(objects).toEqual(Array.from({ length: 4 }, () => ({ limitedTo: "eu" })));
    expect(asked).toEqual(["eu", "eu", "eu", "eu"]);
    expect(() => inJurisdiction({ ...env, JURISDICTION: "mars" })).toThrow(/must be one of/);
  });
});
