import { describe, expect, it } from "vitest";
import { Deployments } from "#contract/endpoints/deployments/schemas.ts";
import { problemOf } from "../../../support/worker/call.ts";
import { enrolAgent } from "../../../support/worker/enrol-agent.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { moved, removals, report } from "../../../support/worker/moved-project.ts";

describe("a project that is moved to another server", () => {
  it("sends the removal to the old server at each hello until it has confirmed", async () => {
    const { project, to } = await moved();
    project.agent.cut();
    await project.deploy({}, to);
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    await project.agent.receives("remove_project");
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect({ projects: [report(project, null, [1])] });
    await project.agent.confirmsRemoval(project.id);
    await expect.poll(async () => kept(project)).toEqual([false, true]);
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect({ projects: [report(project, null, [])] });
    await project.agent.receives("welcome");
    await project.deploy({}, to);
    expect(removals(project.agent)).toEqual([]);
  });

  it("is removed from a server that serves it again, for example after a restore of its disk", async () => {
    const { project, to } = await moved();
    await project.deploy({}, to);
    await project.agent.confirmsRemoval(project.id);
    project.agent.cut();
    project.agent.received.length = 0;
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    await project.agent.confirmsRemoval(project.id);
  });

  it("is rolled back by building the commit again, because its releases are on the old server", async () => {
    const { project, to } = await moved();
    await project.deploy({}, to);
    const targets = await (await project.get(`/v1/projects/${project.id}/rollback-targets`)).json();
    expect(targets).toMatchObject({ rollback_targets: [{ version: 1, instant: false, default: true }] });
    const { id } = await project.rollBack();
    const order = await to.orderOf(id);
    expect(order).toMatchObject({ version: 3, reuse_release: null, preapproved: false, keep_releases: [2] });
    expect(order.source.commit).toMatch(/^[0-9a-f]{40}$/);
    await to.completes(order);
    await project.reaches(id, "live");
    // From now on the code of version 1 is on the new server too, as release 3.
    const forward = await project.rollBack({ version: 2 });
    await to.completes(await to.orderOf(forward.id));
    await project.reaches(forward.id, "live");
    const again = await project.rollBack({ version: 1 });
    expect(await to.orderOf(again.id)).toMatchObject({ reuse_release: 3, preapproved: true });
  });

  it("can be moved back before the old server has removed it, and keeps the new release there", async () => {
    const { project, to } = await moved();
    project.agent.cut();
    await project.deploy({}, to);
    await project.patch({ server_id: project.agent.serverId });
    const { id } = await project.start();
    await project.agent.connect({ projects: [report(project, 1, [1])] });
    const order = await project.agent.orderOf(id);
    expect(removals(project.agent)).toEqual([]);
    await project.agent.completes(order, [1]);
    await project.reaches(id, "live");
    expect(removals(project.agent)).toEqual([]);
    expect(await to.confirmsRemoval(project.id)).toEqual({ purge: false });
  });

  it("runs its queued deployments on the server for which they were started", async () => {
    const project = await TestProject.connected();
    const running = await project.start();
    const waiting = await project.start();
    const to = await enrolAgent(project.token, "web-2");
    await to.connect();
    await project.patch({ server_id: to.serverId });
    const last = await project.start();
    await project.agent.completes(await project.agent.orderOf(running.id));
    await project.agent.completes(await project.agent.orderOf(waiting.id));
    await to.completes(await to.orderOf(last.id));
    await project.agent.confirmsRemoval(project.id);
    expect((await project.reaches(last.id, "live")).server_id).toBe(to.serverId);
  });

  it("keeps its old server in use until it is live on the new one", async () => {
    const { project, to } = await moved();
    const remove = () => project.call("DELETE", `/v1/servers/${project.agent.serverId}`);
    expect(await problemOf(await remove())).toMatchObject({ status: 409, code: "server_in_use" });
    await project.deploy({}, to);
    expect((await remove()).status).toBe(204);
  });
});

/** `release_kept` of its deployments, oldest first. */
async function kept(project: TestProject): Promise<boolean[]> {
  const list = await (await project.get(`/v1/deployments?project_id=${project.id}`)).json();
  const { deployments } = Deployments.parse(list);
  return deployments.map((one) => one.release_kept).toReversed();
}
