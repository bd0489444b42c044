import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { type Client, createClient, createClientOf } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { ids } from "../support/worker/account.ts";
import { ORIGIN } from "../support/worker/call.ts";
import { createWorld } from "../support/worker/world.ts";

function transportWith(token: string | null): Transport {
  return {
    baseUrl: ORIGIN,
    token,
    fetch: (url, init) => exports.default.fetch(new Request(url, init)),
  };
}

const clientWith = (token: string | null): Client => createClient(transportWith(token));

/** A client of a server that gives the same response to every request. */
function clientOf(body: string, status = 200): Client {
  return createClient({ baseUrl: ORIGIN, token: null, fetch: async () => new Response(body, { status }) });
}

describe("the client", () => {
  it("has a method for each operation, typed by the endpoint table", async () => {
    const { account, serverId, projectId, deploymentId } = await createWorld();
    const client = clientWith(account.token);
    const servers = await client.listServers();
    expect(servers.ok && servers.value.servers.map(({ id }) => id)).toEqual([serverId]);
    const changes = createClientOf(projectChangeEndpoints, transportWith(account.token));
    const project = await changes.createProject({
      body: { name: "blog", server_id: serverId, repository: "/srv/git/blog.git" },
    });
    expect(project).toMatchObject({ ok: true, status: 201, value: { name: "blog", branch: "main" } });
    expect(project.ok && project.headers.get("location")).toMatch(/^\/v1\/projects\//);
    const started = await client.startDeployment({
      params: { project_id: projectId },
      body: { branch: "dev" },
    });
    expect(started).toMatchObject({ ok: true, value: { status: "building", version: 2 } });
    const listed = await client.listDeployments({
      query: { limit: 1, status: "building", project_id: projectId },
    });
    expect(listed.ok && listed.value.deployments.map(({ version }) => version)).toEqual([2]);
    const params = { project_id: projectId, deployment_id: deploymentId };
    expect(await client.deleteDeployment({ params })).toMatchObject({ ok: true, status: 204, value: null });
  });

  it("returns a problem as a value", async () => {
    const { account, projectId, deploymentId } = await createWorld();
    const client = clientWith(account.token);
    const missing = await client.getServer({ params: { server_id: ids.server() } });
    expect(missing).toMatchObject({ ok: false, problem: { status: 404, code: "not_found" } });
    const start = { params: { project_id: projectId }, headers: { "If-Live": deploymentId } };
    expect(await client.startDeployment(start)).toMatchObject({
      ok: false,
      problem: { code: "live_changed" },
    });
    const refused = await clientWith(null).getAccount();
    expect(refused).toMatchObject({ ok: false, problem: { code: "missing_token" } });
  });

  it("escapes path parameters", async () => {
    const { account } = await createWorld();
    const result = await clientWith(account.token).getServer({ params: { server_id: "../account?x=" } });
    expect(result).toMatchObject({ ok: false, problem: { code: "not_found" } });
  });

  it("reports an unreachable server and a response that is not from Gantry", async () => {
    const unreachable = createClient({
      baseUrl: ORIGIN,
      token: null,
      fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })),
    });
    const problem = { status: 0, code: "unreachable", detail: expect.stringContaining("ECONNREFUSED") };
    expect(await unreachable.getHealth()).toMatchObject({ ok: false, problem });
    for (const body of ["<html>", '{"status":"fine"}', ""])
      expect(await clientOf(body).getHealth()).toMatchObject({
        problem: { code: "unexpected_answer", status: 200 },
      });
    expect(await clientOf("Bad gateway", 502).getHealth()).toMatchObject({
      problem: { code: "unexpected_answer", status: 502 },
    });
  });

  it("keeps a value that only a newer control plane has, and refuses a value of another type", async () => {
    const server = { id: "srv_01jqk3z8m4e8n9v0c2x5b7d6fa", name: "a", ip: "192.0.2.1", apps: 0 };
    const listed = async (status: unknown) => {
      const body = { servers: [{ ...server, status, uptime: "1.00%" }], next_cursor: null };
      return await clientOf(JSON.stringify(body)).listServers();
    };
    expect(await listed("asleep")).toMatchObject({ ok: true, value: { servers: [{ status: "asleep" }] } });
    const detail = expect.stringContaining("may be another version");
    expect(await listed(7)).toMatchObject({ ok: false, problem: { code: "unexpected_answer", detail } });
  });

  it("drops fields that only a newer control plane has, at every depth", async () => {
    expect(await clientOf('{"status":"ok","region":"eu"}').getHealth()).toMatchObject({
      ok: true,
      value: { status: "ok" },
    });
    const server = {
      id: ids.server(),
      name: "a",
      ip: "192.0.2.1",
      status: "healthy",
      apps: 0,
      uptime: "1.00%",
    };
    const body = { servers: [server, { ...server, region: "eu" }], next_cursor: null, total: 2 };
    const listed = await clientOf(JSON.stringify(body)).listServers();
    expect(listed).toMatchObject({ ok: true, value: { servers: [server, server] } });
    expect(listed.ok && JSON.stringify(listed.value)).not.toContain("eu");
  });
});
