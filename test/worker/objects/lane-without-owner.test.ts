import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import type { ProjectReport } from "#contract/agent-protocol.ts";
import { AccountId, ServerId } from "#contract/ids.ts";
import { connected } from "#worker/following/connect.ts";
import { followLane } from "#worker/following/log/lane-follower.ts";
import { defaultPlan } from "../../support/plan.ts";
import { ids } from "../../support/worker/account.ts";
import { call } from "../../support/worker/call.ts";
import { auditEntry } from "../../support/worker/recorded.ts";
import { TestProject } from "../../support/worker/project.ts";

/** Every call of a lane, for a project that D1 does not have. */
function entries(projectId = ids.project()) {
  const lane = env.PROJECT_LANE.getByName(projectId);
  const owner = { accountId: AccountId.parse(ids.account()), projectId };
  const serverId = ServerId.parse(ids.server());
  const deploymentId = ids.deployment();
  const runId = ids.run();
  const report: ProjectReport = { project_id: projectId, release: 1, releases: [1], url: null };
  const actor = { type: "token", id: "tok_ci", name: "ci" } as const;
  const audit = auditEntry();
  const asked = {
    owner,
    requestKey: "key",
    serverId,
    actor,
    person: null,
    audit,
    plan: defaultPlan,
    queue: "all" as const,
    variables: { revision: 0, notSealed: [] },
    approval: "none" as const,
    freezes: { sequence: 0, rules: [] },
    ifLive: null,
    emergency: null,
  };
  const line = {
    time: "2026-01-01T00:00:00.000Z",
    stream: "stdout",
    stage: "build",
    message: "one",
  } as const;
  const calls: Record<string, () => Promise<unknown>> = {
    start: () => lane.start({ ...asked, input: {}, defaultBranch: "main" }),
    rollBack: () =>
      lane.rollBack({
        ...asked,
        choice: { deploymentId: null, version: null },
        runWith: { settings: null, variables: null },
      }),
    cancel: () => lane.cancel({ owner, id: deploymentId, actor, audit }),
    approve: () =>
      lane.approve({ owner, id: deploymentId, actor, person: null, commit: null, until: null, audit }),
    setFreezes: () => lane.setFreezes({ sequence: 1, rules: [] }),
    delete: () => lane.delete({ owner, id: deploymentId, actor, change: { event: null, audit } }),
    report: () =>
      lane.report({ serverId, deploymentId, runId, events: [{ seq: 1, type: "output", lines: [line] }] }),
    compare: () => lane.compare(serverId, report),
    reconcile: () => lane.reconcile({ serverId, report, runIds: [runId], sentAt: Date.now() }),
    projectRemoved: () => lane.projectRemoved({ serverId, purge: true }),
    serverDeleted: () => lane.serverDeleted(serverId),
    rollbackTargets: () => lane.rollbackTargets(owner, asked),
    unfinishedLog: () => lane.unfinishedLog(deploymentId, 1),
    holds: () => lane.holds(deploymentId),
    repair: () => lane.repair(),
    "repair of a project that D1 no longer has": () => lane.repair(owner),
    "following a log": async () => {
      const follower = await connected(() => followLane(lane, deploymentId, ids.token()));
      follower.ask(0);
      expect(await follower.news(1000)).toEqual({ kind: "gone" });
      follower.close();
    },
    alarm: () => runDurableObjectAlarm(lane),
  };
  return { lane, calls };
}

/** What an object stores: its tables and its alarm. */
async function kept(lane: ReturnType<typeof entries>["lane"]) {
  return await runInDurableObject(lane, async (_lane, { storage }) => ({
    tables: storage.sql.exec("SELECT name FROM sqlite_master").toArray(),
    alarm: await storage.getAlarm(),
  }));
}

it.each(Object.keys(entries().calls))("%s stores nothing in a lane without an owner", async (name) => {
  const { lane, calls } = entries();
  await calls[name]?.();
  expect(await kept(lane)).toEqual({ tables: [], alarm: null });
});

it("all calls together store nothing in a lane without an owner", async () => {
  const { lane, calls } = entries();
  for (const ask of Object.values(calls)) await ask();
  expect(await kept(lane)).toEqual({ tables: [], alarm: null });
});

it("reports about invented projects store nothing in their lanes", async () => {
  const project = await TestProject.connected();
  const { order } = await project.deploy();
  const invented = Array.from({ length: 5 }, () => ids.project());
  for (const project_id of invented)
    expect(await project.agent.reports({ ...order, project_id }, { type: "ready" })).toMatchObject({
      instruction: "ended",
    });
  for (const project_id of invented)
    expect(await kept(env.PROJECT_LANE.getByName(project_id))).toEqual({ tables: [], alarm: null });
});

it("reading a project that was never deployed creates no lane", async () => {
  const project = await TestProject.connected();
  const targets = await project.get(`/v1/projects/${project.id}/rollback-targets`);
  expect(await targets.json()).toEqual({ rollback_targets: [] });
  const back = await call("/v1/rollback", {
    method: "POST",
    token: project.token,
    body: { project_id: project.id },
  });
  expect(back.status).toBe(409);
  expect(await kept(env.PROJECT_LANE.getByName(project.id))).toEqual({ tables: [], alarm: null });
});
