import { describe, expect, it, vi } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";
import { DomainChecks } from "#contract/endpoints/domains/schemas.ts";
import { createToken, ids } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { enrolAgent } from "../../support/worker/enrol-agent.ts";
import type { ConnectedAgent } from "../../support/connected-agent/connected-agent.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedEvents } from "../../support/worker/recorded.ts";
import { deployToAll } from "../../support/worker/deploy-to-all.ts";

async function read(project: TestProject): Promise<Project> {
  return Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json());
}

/** Connects with an ingress that other servers can reach. */
async function joins(agent: ConnectedAgent, last: number): Promise<void> {
  agent.answersRequests = true;
  agent.fleet = { port: 8443, http_port: 80, root: `root ${last}`, address: `10.0.0.${last}` };
  await agent.connect();
  await agent.receives("welcome");
}

/** A project on two servers, and a third server for a balancer. */
async function withBalancer() {
  const { project, agents, accountId } = await TestProject.onServers(2);
  const balancer = await enrolAgent(project.token, "lb-1");
  for (const [at, agent] of [...agents, balancer].entries()) await joins(agent, 11 + at);
  // D1 has what they report.
  await vi.waitFor(async () =>
    expect((await serverOf(project, balancer)).detected_address).toBe("10.0.0.13"),
  );
  const [one, two] = agents;
  if (one === undefined || two === undefined) throw new Error("two servers");
  return { project, accountId, balancer, one, two, agents };
}

const serverOf = async (project: TestProject, agent: ConnectedAgent) =>
  Server.parse(await (await project.get(`/v1/servers/${agent.serverId}`)).json());

const behind = (...balancers: readonly ConnectedAgent[]) => ({
  entry: { type: "balancer", balancers: balancers.map(({ serverId }) => serverId) },
});

/** The states that an agent was sent, the newest last. */
const sent = ({ received }: ConnectedAgent) =>
  received.flatMap((one) => (one.type === "set_fleet" ? [one.fleet] : []));

describe("a project behind a balancer of Gantry", () => {
  it("tells the balancer and the servers of each other, and says when they are set up", async () => {
    const { project, balancer, one, two } = await withBalancer();
    const domain = (await read(project)).domain;
    const answer = await project.patch({ ...behind(balancer), aliases: [{ domain: "www.shop.test" }] });
    expect(answer.status, await answer.clone().text()).toBe(200);
    await vi.waitFor(() =>
      expect(sent(balancer).at(-1)).toMatchObject({
        balances: [{ domain, members: [one.serverId, two.serverId], aliases: [{ redirect: true }] }],
        serves: [],
        servers: [{ address: "10.0.0.11", root: "root 11" }, { address: "10.0.0.12" }],
      }),
    );
    for (const agent of [one, two])
      await vi.waitFor(() =>
        expect(sent(agent).at(-1)).toMatchObject({
          serves: [{ entry: "balancer", hosts: [domain], balancers: [balancer.serverId] }],
          servers: [{ id: balancer.serverId, root: "root 13" }],
        }),
      );
    await vi.waitFor(async () =>
      expect((await read(project)).balance_state).toMatchObject([
        { name: "lb-1", role: "balancer", status: "ok", problem: null, out: [] },
        { name: "web-1", role: "server", status: "ok" },
        { name: "web-2", role: "server", status: "ok" },
      ]),
    );
  });

  it("is sent again at each connection with the same revision, and with a greater one after a change", async () => {
    const { project, balancer, one } = await withBalancer();
    await project.patch(behind(balancer));
    await vi.waitFor(() => expect(sent(balancer)).toHaveLength(1));
    await balancer.connect();
    await vi.waitFor(() => expect(sent(balancer)).toHaveLength(2));
    const [first, again] = sent(balancer);
    expect(again).toEqual(first);
    await project.patch({ domain: "new.test" });
    await vi.waitFor(() => expect(sent(balancer).at(-1)?.balances[0]?.domain).toBe("new.test"));
    expect(sent(balancer).at(-1)?.revision).toBeGreaterThan(first?.revision ?? 0);
    await call(`/v1/servers/${one.serverId}`, {
      ...{ method: "PATCH", token: project.token, body: { address: "web-1.internal" } },
    });
    await vi.waitFor(() => expect(sent(balancer).at(-1)?.servers[0]?.address).toBe("web-1.internal"));
    one.fleet = { port: 9443, http_port: 80, root: "another root", address: null };
    one.status([]);
    await vi.waitFor(() =>
      expect(sent(balancer).at(-1)?.servers[0]).toMatchObject({ port: 9443, root: "another root" }),
    );
  });

  it("reaches servers that connect later, and leaves a balancer that it no longer has without projects", async () => {
    const { project, balancer, one } = await withBalancer();
    balancer.cut();
    await project.patch(behind(balancer));
    await vi.waitFor(() => expect(sent(one)).toHaveLength(1));
    await balancer.connect();
    await vi.waitFor(() => expect(sent(balancer)).toHaveLength(1));
    await project.patch({ entry: { type: "each" } });
    await vi.waitFor(() =>
      expect(sent(balancer).at(-1)).toMatchObject({ servers: [], balances: [], serves: [] }),
    );
    await vi.waitFor(() => expect(sent(one).at(-1)?.serves).toMatchObject([{ entry: "each" }]));
    expect((await read(project)).balance_state).toEqual([]);
  });

  it("leaves its balancer and servers when it is deleted", async () => {
    const { project, balancer } = await withBalancer();
    await project.patch(behind(balancer));
    await vi.waitFor(() => expect(sent(balancer).at(-1)?.balances).toHaveLength(1));
    expect((await project.remove()).status).toBe(204);
    await vi.waitFor(() => expect(sent(balancer).at(-1)?.balances).toEqual([]));
  });

  it("shows what a balancer has taken out, and why a server is not set up", async () => {
    const { project, balancer, one, two } = await withBalancer();
    one.fleetProblem = "Port 8443 is in use.";
    await project.patch(behind(balancer));
    balancer.balance = [{ project_id: (await read(project)).id, out: [(await serverOf(project, two)).id] }];
    balancer.status([]);
    await vi.waitFor(async () =>
      expect((await read(project)).balance_state).toMatchObject([
        { name: "lb-1", status: "ok", out: [two.serverId] },
        { name: "web-1", status: "problem", problem: "Port 8443 is in use." },
        { name: "web-2", status: "ok" },
      ]),
    );
    two.cut();
    await vi.waitFor(async () => expect((await read(project)).balance_state[2]?.status).toBe("unknown"));
  });

  it("keeps its balancer from being deleted, and counts there as a project", async () => {
    const { project, balancer, one } = await withBalancer();
    await project.patch(behind(balancer, one));
    expect((await serverOf(project, balancer)).apps).toBe(1);
    // A balancer that serves the project too counts it once.
    expect((await serverOf(project, one)).apps).toBe(1);
    const deletion = { method: "DELETE", token: project.token } as const;
    const refused = await call(`/v1/servers/${balancer.serverId}`, deletion);
    expect(await problemOf(refused)).toMatchObject({ code: "server_in_use" });
    await project.patch({ entry: { type: "own" } });
    expect((await call(`/v1/servers/${balancer.serverId}`, deletion)).status).toBe(204);
  });

  it("keeps a server that it is moved from until a deployment is live without it", async () => {
    const { project, balancer, one, two, agents } = await withBalancer();
    await deployToAll(project, agents);
    await project.patch(behind(balancer));
    await project.patch({ servers: [{ id: two.serverId }] });
    await vi.waitFor(() =>
      expect(sent(balancer).at(-1)?.balances[0]?.members).toEqual([two.serverId, one.serverId]),
    );
  });

  it("asks the balancer where the host names lead, and expects its address", async () => {
    const { project, balancer } = await withBalancer();
    await project.patch(behind(balancer));
    const response = await project.get(`/v1/projects/${project.id}/domains`);
    const checks = DomainChecks.parse(await response.json());
    const { ip } = await serverOf(project, balancer);
    expect(checks).toMatchObject({ server_ip: ip, server_ips: [ip] });
    expect(await balancer.receives("check_domains")).toMatchObject({ project_id: project.id });
  });

  it("is refused without balancers of the account, with too many, and with fields of another entry", async () => {
    const { project, balancer, one, two } = await withBalancer();
    const refused = async (entry: unknown, pointer: string) => {
      const response = await project.patch({ entry });
      expect(response.status).toBe(422);
      expect(await problemOf(response)).toMatchObject({ code: "invalid_request", errors: [{ pointer }] });
    };
    const balancers = [balancer.serverId];
    await refused({ type: "balancer" }, "/entry/balancers");
    await refused({ type: "balancer", balancers: [ids.server()] }, "/entry/balancers/0");
    await refused({ type: "balancer", balancers: [...balancers, ...balancers] }, "/entry/balancers/1");
    await refused({ type: "balancer", balancers: [...balancers, one, two].map(String) }, "/entry/balancers");
    await refused({ type: "own", balancers }, "/entry/balancers");
    await refused({ type: "each", sticky: true }, "/entry/sticky");
    const stranger = await enrolAgent((await TestProject.create()).token, "other");
    await refused({ type: "balancer", balancers: [stranger.serverId] }, "/entry/balancers/0");
    expect((await read(project)).entry).toEqual({ type: "each", balancers: [], sticky: false });
  });

  it("is refused while an agent is too old, or while the balancer has no address of a server", async () => {
    const { project, balancer, two } = await withBalancer();
    two.fleet = { port: 8443, http_port: 80, root: "root", address: null };
    two.status([]);
    await vi.waitFor(async () => expect((await serverOf(project, two)).detected_address).toBeNull());
    expect(await problemOf(await project.patch(behind(balancer)))).toMatchObject({
      ...{
        code: "invalid_request",
        errors: [{ pointer: "/entry/type", message: "needs the address of web-2" }],
      },
    });
    two.answersRequests = false;
    await two.connect();
    await vi.waitFor(async () =>
      expect(await problemOf(await project.patch(behind(balancer)))).toMatchObject({
        ...{ code: "agent_outdated", detail: expect.stringContaining("web-2") },
      }),
    );
  });

  it("can be created at once, and the change is recorded", async () => {
    const { project, accountId, balancer, one } = await withBalancer();
    const body = {
      name: "blog",
      server_id: one.serverId,
      repository: "/srv/git/blog.git",
      ...behind(balancer),
    };
    const created = Project.parse(await (await project.post("/v1/projects", body)).json());
    expect(created.balance_state.map(({ name, role }) => [name, role])).toEqual([
      ["lb-1", "balancer"],
      ["web-1", "server"],
    ]);
    await vi.waitFor(() => expect(sent(balancer).at(-1)?.balances[0]?.members).toEqual([one.serverId]));
    await project.patch(behind(balancer));
    const events = (await recordedEvents(accountId)).filter(({ type }) => type === "project.updated");
    expect(events.at(-1)?.data).toMatchObject({ changed: ["entry"] });
  });

  it("cannot be chosen by a token that is limited to the project", async () => {
    const { project, accountId, balancer } = await withBalancer();
    const { secret } = await createToken(accountId, { projectIds: [(await read(project)).id] });
    const path = `/v1/projects/${project.id}`;
    const answer = await call(path, { method: "PATCH", token: secret, body: behind(balancer) });
    expect(await problemOf(answer)).toMatchObject({ code: "insufficient_scope" });
  });
});

describe("a project on several servers that visitors reach directly", () => {
  it("tells each of the others, and counts all of their addresses as right", async () => {
    const { project, one, two } = await withBalancer();
    await one.connect();
    await vi.waitFor(() =>
      expect(sent(one).at(-1)).toMatchObject({
        serves: [{ entry: "each", peers: [two.serverId] }],
        servers: [{ id: two.serverId, http_port: 80 }],
      }),
    );
    const response = await project.get(`/v1/projects/${project.id}/domains`);
    const { server_ips } = DomainChecks.parse(await response.json());
    const ips = await Promise.all([one, two].map(async (agent) => (await serverOf(project, agent)).ip));
    expect(server_ips).toEqual([...new Set(ips)]);
  });
});

describe("a project that moves to another server", () => {
  it("no longer concerns the server that it leaves, if it has a balancer", async () => {
    const { project, balancer, one, two } = await withBalancer();
    const servers = [{ id: one.serverId }];
    expect((await project.patch({ servers, ...behind(balancer) })).status).toBe(200);
    await vi.waitFor(() => expect(sent(one).at(-1)?.serves).toMatchObject([{ entry: "balancer" }]));
    expect((await project.patch({ server_id: two.serverId })).status).toBe(200);
    await vi.waitFor(() => expect(sent(balancer).at(-1)?.balances[0]?.members).toEqual([two.serverId]));
    await vi.waitFor(() => expect(sent(two).at(-1)?.serves).toMatchObject([{ entry: "balancer" }]));
    await vi.waitFor(() => expect(sent(one).at(-1)?.serves).toEqual([]));
  });

  it("is not moved to a server that its balancer cannot reach", async () => {
    const { project, balancer, one, two } = await withBalancer();
    await project.patch({ servers: [{ id: one.serverId }], ...behind(balancer) });
    two.fleet = { port: 8443, http_port: 80, root: "root", address: null };
    two.status([]);
    await vi.waitFor(async () => expect((await serverOf(project, two)).detected_address).toBeNull());
    const refused = await problemOf(await project.patch({ server_id: two.serverId }));
    expect(refused).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/server_id" }] });
    expect((await read(project)).server_id).toBe(one.serverId);
  });
});

describe("a project on one server", () => {
  it("sends it nothing about others, and asks no other link", async () => {
    const project = await TestProject.create();
    await joins(project.agent, 11);
    await project.patch({ domain: "new.test", aliases: [] });
    await project.agent.connect();
    await vi.waitFor(async () =>
      expect((await serverOf(project, project.agent)).detected_address).toBe("10.0.0.11"),
    );
    expect(sent(project.agent)).toEqual([]);
  });
});
