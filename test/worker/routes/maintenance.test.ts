import { describe, expect, it, vi } from "vitest";

import { Project } from "#contract/endpoints/projects/schemas.ts";
import { MaintenanceSet } from "#contract/endpoints/traffic/schemas.ts";
import { TestProject } from "../../support/worker/project.ts";

const set = async (project: TestProject, body: unknown) =>
  MaintenanceSet.parse(await (await project.post(`/v1/projects/${project.id}/maintenance`, body)).json());
const stored = async (project: TestProject) =>
  Project.parse(await (await project.get(`/v1/projects/${project.id}`)).json()).maintenance;
/** The revisions that the server was sent, and what for. */
const sent = ({ agent }: TestProject) =>
  agent.received.flatMap((one) => (one.type === "set_maintenance" ? [one.maintenance] : []));

describe("the maintenance of a project", () => {
  it("is applied by the server before the answer, and turned off again", async () => {
    const project = await TestProject.answering();
    const on = await set(project, { on: true, message: "Back at noon" });
    expect(on).toMatchObject({ maintenance: { message: "Back at noon" }, applied: true, detail: null });
    expect(await stored(project)).toEqual(on.maintenance);
    expect(await set(project, { on: true, message: "Back at noon" })).toEqual(on);
    expect(await set(project, { on: false })).toEqual({ maintenance: null, applied: true, detail: null });
    expect(await stored(project)).toBeNull();
    const [first, again, off] = sent(project);
    expect(first).toMatchObject({ on: true, message: "Back at noon" });
    expect(again).toEqual(first);
    expect(off).toMatchObject({ on: false, message: null });
    expect(off?.revision).toBeGreaterThan(first?.revision ?? 0);
  });

  it("is stored while the server is not connected, and sent when it connects", async () => {
    const project = await TestProject.create();
    const answer = await set(project, { on: true });
    expect(answer).toMatchObject({ maintenance: { message: null }, applied: false });
    expect(answer.detail).toContain("is not connected");
    project.agent.answersRequests = true;
    await project.agent.connect();
    await vi.waitFor(() => expect(sent(project)).toMatchObject([{ on: true, message: null }]));
  });

  it("is in each order from then on", async () => {
    const project = await TestProject.connected();
    expect((await project.deploy()).order.maintenance).toBeUndefined();
    await set(project, { on: true });
    expect((await project.deploy()).order.maintenance).toMatchObject({ on: true });
    await set(project, { on: false });
    expect((await project.deploy()).order.maintenance).toMatchObject({ on: false });
  });

  it("is not applied if the server says why it cannot", async () => {
    const project = await TestProject.create();
    await project.agent.connect({ deployKeys: [] });
    await project.agent.receives("welcome");
    const answer = set(project, { on: true });
    const { request_id, project_id } = await project.agent.receives("set_maintenance");
    const problem = "The server could not change the maintenance: no space left on device";
    project.agent.answer({ type: "maintenance_set", request_id, project_id, problem });
    expect(await answer).toMatchObject({ applied: false, detail: problem });
  });

  it("has a message of 1 to 500 characters", async () => {
    const project = await TestProject.create();
    for (const message of ["", "x".repeat(501)])
      expect(
        (await project.post(`/v1/projects/${project.id}/maintenance`, { on: true, message })).status,
      ).toBe(422);
  });
});
