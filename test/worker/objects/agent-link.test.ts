import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { closeCodes, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { Project } from "#contract/endpoints/projects/schemas.ts";
import { Server } from "#contract/endpoints/servers/schemas.ts";
import { call } from "../../support/worker/call.ts";
import { TestProject } from "../../support/worker/project.ts";
import { LEVEL } from "../../support/connected-agent/agent-socket.ts";

async function serverOf({ agent, token }: TestProject): Promise<Server> {
  return Server.parse(await (await call(`/v1/servers/${agent.serverId}`, { token })).json());
}

async function projectOf({ id, token }: TestProject): Promise<Project> {
  return Project.parse(await (await call(`/v1/projects/${id}`, { token })).json());
}

describe("an agent's link", () => {
  it("makes a pending server healthy, and offline after a disconnect", async () => {
    const project = await TestProject.create();
    expect(await serverOf(project)).toMatchObject({
      status: "pending",
      uptime: "0.00%",
      agent_version: "0.2.0",
    });
    await project.agent.connect();
    await vi.waitFor(async () => expect((await serverOf(project)).status).toBe("healthy"));
    expect((await serverOf(project)).disk).toEqual({ total_bytes: 100e9, free_bytes: 60e9 });
    project.agent.cut();
    await vi.waitFor(async () => expect((await serverOf(project)).status).toBe("offline"));
  });

  it("counts the uptime from the agent's first connection, not from its enrolment", async () => {
    const project = await TestProject.create();
    const { serverId } = project.agent;
    const enrolledAt = Date.now() - 3_600_000;
    await env.DB.prepare("UPDATE servers SET enrolled_at = ? WHERE id = ?").bind(enrolledAt, serverId).run();
    await project.agent.connect();
    await vi.waitFor(async () => expect((await serverOf(project)).status).toBe("healthy"));
    expect(await serverOf(project)).toMatchObject({
      uptime: "100.00%",
      uptime_days: [{ uptime: "100.00%" }],
    });
    project.agent.cut();
    await vi.waitFor(async () => expect((await serverOf(project)).status).toBe("offline"));
    await project.agent.connect();
    await vi.waitFor(async () => expect((await serverOf(project)).status).toBe("healthy"));
    const first = await env.DB.prepare(
      "SELECT first_connected_at AS first, connected_at AS latest FROM servers WHERE id = ?",
    )
      .bind(serverId)
      .first();
    expect(Number(first?.["first"])).toBeGreaterThan(enrolledAt);
    expect(Number(first?.["first"])).toBeLessThan(Number(first?.["latest"]));
  });

  it("is closed with the reason when a newer link opens with the same credential", async () => {
    const project = await TestProject.connected();
    const older = project.agent.sameAgent();
    await older.connect();
    await older.receives("welcome");
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.replaced));
    const { id } = await project.start();
    await older.completes(await older.orderOf(id));
    expect(await project.reaches(id, "live")).toMatchObject({ version: 1 });
    expect(await serverOf(project)).toMatchObject({ status: "healthy", taken_over_at: expect.any(String) });
  });

  it("shows no takeover when the same agent connects again", async () => {
    const project = await TestProject.connected();
    project.agent.cut();
    await vi.waitFor(async () => expect((await serverOf(project)).status).toBe("offline"));
    await project.agent.connect();
    await vi.waitFor(async () => expect((await serverOf(project)).status).toBe("healthy"));
    expect((await serverOf(project)).taken_over_at).toBeNull();
  });

  it("is closed with a clear reason after another protocol version or an invalid message", async () => {
    const project = await TestProject.create();
    await project.agent.connect({ protocol: 99 });
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.protocolMismatch));
    expect(project.agent.closed?.reason).toContain("update");
    await project.agent.connect();
    project.agent.sendText("{}");
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.malformedMessage));
    await project.agent.connect();
    project.agent.sendText('{"type":"newer","note":"\\ud800"}');
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.malformedMessage));
  });

  it.each([
    [99, "update this installation, or install its older agent"],
    [0, "update the agent"],
  ])(
    "is refused to an agent of protocol %i, and the server shows the problem until an agent is accepted",
    async (protocol, what) => {
      const project = await TestProject.create();
      await project.agent.connect({ protocol });
      expect(await project.agent.receives("welcome")).toMatchObject({ protocol: PROTOCOL_VERSION });
      await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.protocolMismatch));
      await vi.waitFor(async () =>
        expect(await serverOf(project)).toMatchObject({
          status: "offline",
          agent_problem: { code: "protocol_mismatch", message: expect.stringContaining(what) },
        }),
      );
      await project.agent.connect();
      await vi.waitFor(async () =>
        expect(await serverOf(project)).toMatchObject({ status: "healthy", agent_problem: null }),
      );
    },
  );

  it("is closed if an agent reports an unsafe address of a site", async () => {
    for (const url of ["javascript:alert(document.domain)", "data:text/html,x", "/app/"]) {
      const project = await TestProject.connected();
      project.agent.serving({ project_id: project.id, release: null, releases: [], url });
      await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.malformedMessage));
      const read = await (await project.get(`/v1/projects/${project.id}`)).json();
      expect(read).toMatchObject({ url: null, serving: null });
    }
  });

  it("stays with a compatible agent when an incompatible one connects, and the server shows no problem", async () => {
    const project = await TestProject.connected();
    const other = project.agent.sameAgent();
    await other.connect({ protocol: 0 });
    await vi.waitFor(() => expect(other.closed?.code).toBe(closeCodes.protocolMismatch));
    project.agent.status([]);
    expect(await serverOf(project)).toMatchObject({ status: "healthy", agent_problem: null });
    const { id } = await project.start();
    await project.agent.completes(await project.agent.orderOf(id));
    expect(await project.reaches(id, "live")).toMatchObject({ version: 1 });
  });

  it("is refused after a hello of another version in an unknown form", async () => {
    const project = await TestProject.connected();
    project.agent.sendText('{"type":"hello","protocol":7,"sites":{}}');
    await vi.waitFor(() => expect(project.agent.closed?.code).toBe(closeCodes.protocolMismatch));
  });

  it("stays open for a newer agent of the same protocol version, whose new fields and messages are ignored", async () => {
    const project = await TestProject.connected();
    project.agent.sendText('{"type":"metrics","load":[1]}');
    const disk = { total_bytes: 50e9, free_bytes: 40e9, inodes: 7 };
    project.agent.sendText(JSON.stringify({ type: "status", ...LEVEL, disk, projects: [], uptime: 7 }));
    await vi.waitFor(async () => expect((await serverOf(project)).disk).toMatchObject({ total_bytes: 50e9 }));
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    const event = { seq: 1, type: "stage" as const, stage: "fetch" as const, host: "web-1" };
    expect(await project.agent.postEvents(order, [event])).toMatchObject({ acked_seq: 1 });
    expect(project.agent.closed).toBeNull();
  });

  it("answers a ping without waking the object", async () => {
    const project = await TestProject.connected();
    project.agent.sendText("ping");
    await vi.waitFor(() => expect(project.agent.pongs).toBe(1));
  });

  it("refuses requests without an upgrade and tokens that do not belong to an agent", async () => {
    const project = await TestProject.create();
    expect((await call("/v1/agent/connect")).status).toBe(401);
    expect((await call("/v1/agent/connect", { token: project.token })).status).toBe(401);
  });
});

describe("an agent that reconnects", () => {
  it("gets the order and the stop that it missed", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    project.agent.cut();
    await project.post(`/v1/deployments/${id}/cancel`);
    await project.agent.connect({ runs: [order] });
    expect(await project.agent.receives("stop")).toMatchObject({ run_id: order.run_id });
    await project.agent.reportsCanceled(order);
    await project.reaches(id, "canceled");
  });

  it("without its run has lost it, and the next run starts", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    await project.agent.reports(await project.agent.orderOf(id), { type: "stage", stage: "fetch" });
    const next = await project.start();
    project.agent.cut();
    await project.agent.connect({ runs: [] });
    // It has no files of the project either, so only the pending offer makes the link call this lane.
    expect((await project.reaches(id, "failed")).failure).toMatchObject({ code: "server_lost" });
    await project.agent.orderOf(next.id);
  });

  it("with an unconfirmed earlier run continues the current one", async () => {
    const project = await TestProject.connected();
    const before = await project.agent.orderOf((await project.start()).id);
    await project.agent.completes(before);
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    project.agent.cut();
    // It has no answer yet to the result of the first run.
    await project.agent.connect({ runs: [before, order], projects: [report(project, 1, [1])] });
    await project.agent.receives("welcome");
    await project.agent.reports(order, { type: "resolved", commit_sha: "a".repeat(40), commit_message: "" });
    await project.agent.completes({ ...order, reuse_release: order.version });
    await project.reaches(id, "live");
  });

  it("gets a correction to the live release, and the project shows what it serves", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const { id: live } = await project.deploy();
    project.agent.cut();
    const stale = { project_id: project.id, release: 1, releases: [1, 2], url: "http://127.0.0.1:9000" };
    await project.agent.connect({ projects: [stale] });
    expect(await project.agent.receives("correct_release")).toMatchObject({
      project_id: project.id,
      release: 2,
    });
    await vi.waitFor(async () => expect((await projectOf(project)).serving).toMatchObject({ drifted: true }));
    project.agent.status([{ ...stale, release: 2 }]);
    await vi.waitFor(async () =>
      expect(await projectOf(project)).toMatchObject({
        url: "http://127.0.0.1:9000",
        serving: { deployment_id: live, commit: "0123456", drifted: false },
      }),
    );
  });

  it("with an old run beside the current one loses neither", async () => {
    const project = await TestProject.connected();
    const first = await project.start();
    const left = await project.agent.orderOf(first.id);
    await project.agent.reportsCanceled(left);
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    project.agent.cut();
    await project.agent.connect({ runs: [left, order] });
    await project.agent.receives("welcome");
    await project.agent.completes(order);
    await project.reaches(id, "live");
  });

  it("gets a correction to the live release after it reports another one without a result", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    await project.deploy();
    project.agent.serving(report(project, 1, [1, 2]));
    expect(await project.agent.receives("correct_release")).toMatchObject({
      project_id: project.id,
      release: 2,
    });
  });

  it("with a late result gets a correction to the live release at once", async () => {
    const project = await TestProject.connected();
    await project.deploy();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    await project.agent.reports(order, { type: "ready" });
    project.agent.cut();
    // It reconnects without the run, so the run is lost. But it had switched, and its result is only late.
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    await project.reaches(id, "failed");
    const evidence = { target: "releases/2", commit_sha: "a".repeat(40), health_check: null };
    const result = { outcome: "live" as const, release: 2, evidence };
    const answer = await project.agent.reports(order, {
      type: "result",
      result,
      project: report(project, 2, [1, 2]),
    });
    expect(answer.instruction).toBe("ended");
    expect(await project.agent.receives("correct_release")).toMatchObject({
      project_id: project.id,
      release: 1,
    });
  });
});

function report(project: TestProject, release: number, releases: number[]) {
  return { project_id: project.id, release, releases, url: null };
}
