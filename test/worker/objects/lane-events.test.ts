import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import type { DeploymentEvent, Event } from "#contract/endpoints/events/schemas.ts";
import { TestProject } from "../../support/worker/project.ts";
import { recordedEntries, recordedEvents } from "../../support/worker/recorded.ts";

const isOfDeployment = (event: Event): event is DeploymentEvent => event.type.startsWith("deployment.");

async function eventsOf({ id }: TestProject): Promise<DeploymentEvent[]> {
  return (await recordedEvents(id)).filter(isOfDeployment);
}

/** The events of a project's deployments, each as its type and version. */
async function told(project: TestProject): Promise<string[]> {
  return (await eventsOf(project)).map(
    ({ type, data }) => `${type.slice("deployment.".length)} ${data.deployment.version}`,
  );
}

async function dataOf(project: TestProject, id: string, type: Event["type"]) {
  return (await eventsOf(project)).find((event) => event.type === type && event.data.deployment.id === id)
    ?.data;
}

describe("the events of deployments", () => {
  it("say when each was started, when its commit was known, and how it ended", async () => {
    const project = await TestProject.connected();
    const { id: first } = await project.deploy();
    const { id: second } = await project.deploy();
    const back = await project.rollBack();
    const next = await project.start({ branch: "next" });
    await project.agent.completes(await project.agent.orderOf(back.id));
    const failure = { code: "build_failed", message: "exit code 2", stage: "build" } as const;
    await project.agent.reports(await project.agent.orderOf(next.id), {
      type: "result",
      result: { outcome: "failed", failure: { ...failure, evidence: { stderr_tail: "secret" } } },
      project: { project_id: project.id, release: 1, releases: [1], url: "http://shop.test" },
    });
    await vi.waitFor(async () =>
      expect(await told(project)).toEqual([
        "started 1",
        "building 1",
        "live 1",
        "started 2",
        "building 2",
        "superseded 1",
        "live 2",
        "started 3",
        "started 4",
        "building 3",
        "superseded 2",
        "live 3",
        "failed 4",
      ]),
    );
    expect(await dataOf(project, first, "deployment.started")).toMatchObject({
      actor: { type: "token" },
      project: { id: project.id, name: "shop", repository: "/srv/git/shop.git" },
      deployment: { status: "building", stage: "queued", commit: null, trigger: "api", started_at: null },
    });
    expect(await dataOf(project, second, "deployment.live")).toMatchObject({
      deployment: { status: "live", stage: null, commit: "0123456", commit_message: "Change the title" },
    });
    expect((await dataOf(project, first, "deployment.superseded"))?.replaced_by).toEqual({
      id: second,
      version: 2,
    });
    const failed = await dataOf(project, next.id, "deployment.failed");
    expect(failed?.deployment.failure).toEqual(failure);
    expect(failed?.project.url).toBe("http://shop.test");
    const entries = (await recordedEntries(project.id)).filter(({ target }) => target?.type === "deployment");
    expect(entries.map(({ action, outcome, target }) => [action, outcome, target?.name])).toEqual([
      ["startDeployment", "done", "v1"],
      ["startDeployment", "done", "v2"],
      ["rollBack", "done", "v3"],
      ["startDeployment", "done", "v4"],
    ]);
  });

  it("say who canceled it, once, and that it was deleted", async () => {
    const project = await TestProject.connected();
    const { id } = await project.start();
    const order = await project.agent.orderOf(id);
    await project.agent.reports(order, { type: "stage", stage: "fetch" });
    await project.post(`/v1/deployments/${id}/cancel`, {});
    await project.post(`/v1/deployments/${id}/cancel`, {});
    await project.agent.reportsCanceled(order);
    const waiting = await project.start();
    await project.delete(waiting.id);
    await project.reaches(id, "canceled");
    await project.delete(id);
    expect(await told(project)).toEqual([
      "started 1",
      "canceled 1",
      "started 2",
      "canceled 2",
      "deleted 2",
      "deleted 1",
    ]);
    const canceled = await dataOf(project, id, "deployment.canceled");
    expect(canceled).toMatchObject({ actor: { type: "token" }, deployment: { status: "canceled" } });
    expect(await dataOf(project, id, "deployment.deleted")).toMatchObject({
      project: { name: "shop", repository: "/srv/git/shop.git" },
    });
  });

  it("name the newer deployment that took the place of a waiting one", async () => {
    const project = await TestProject.create({ queue: "latest" });
    await project.start();
    const { id: waiting } = await project.start();
    const { id: newer } = await project.start();
    expect(await dataOf(project, waiting, "deployment.canceled")).toMatchObject({
      replaced_by: { id: newer, version: 3 },
    });
    expect((await dataOf(project, newer, "deployment.started"))?.replaced_by).toBeNull();
  });

  it("of a deadline that has passed have no person as their actor", async () => {
    const project = await TestProject.create({ timeouts: { queue_seconds: 60 } });
    const { id } = await project.start();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    await runDurableObjectAlarm(env.PROJECT_LANE.getByName(project.id));
    vi.useRealTimers();
    expect(await dataOf(project, id, "deployment.failed")).toMatchObject({
      actor: { type: "system", id: null, name: "Gantry" },
      deployment: { failure: { code: "server_offline" } },
    });
  });
});

it("records the deletion of a project once, and keeps the events", async () => {
  const project = await TestProject.connected();
  await project.deploy();
  await Promise.all([project.remove(), project.remove()]);
  const events = await recordedEvents(project.id);
  expect(events.filter(({ type }) => type === "project.deleted")).toHaveLength(1);
  expect(events.some(({ type }) => type === "deployment.live")).toBe(true);
});
