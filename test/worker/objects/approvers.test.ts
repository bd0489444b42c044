import { beforeEach, describe, expect, it, vi } from "vitest";

import { call, problemOf } from "../../support/worker/call.ts";
import { delivered } from "../../support/worker/deliveries.ts";
import { approve, refusalOf, startedBy } from "../../support/worker/holds.ts";
import { hooked } from "../../support/worker/hooked.ts";
import { addPeople, oldToken } from "../../support/worker/people.ts";
import { TestProject } from "../../support/worker/project.ts";
import { makeToken, rotate } from "../../support/worker/tokens.ts";
import { recordedEvents } from "../../support/worker/recorded.ts";

/** Starts a deployment with a token, and waits until it can be approved. */
async function deployedBy(project: TestProject, token: string): Promise<string> {
  const path = `/v1/projects/${project.id}/deployments`;
  const { id } = await startedBy(call(path, { method: "POST", token, body: {} }));
  await project.awaitsApproval(id);
  return id;
}

describe("with by_another", () => {
  it("a person cannot approve what they have started with a token that they have made, or the reverse", async () => {
    const project = await TestProject.connected({ approval: "by_another" });
    const { ada } = await addPeople(project);
    const first = await deployedBy(project, ada.serviceToken);
    for (const token of [ada.session, ada.personalToken, ada.serviceToken])
      expect(await problemOf(await approve(project, first, { token }))).toMatchObject({
        status: 403,
        code: "own_deployment",
        detail: "You have started v1, so somebody else must approve it.",
      });
    await project.post(`/v1/deployments/${first}/cancel`);
    const second = await deployedBy(project, ada.session);
    for (const token of [ada.serviceToken, ada.personalToken])
      expect(await refusalOf(approve(project, second, { token }))).toEqual([403, "own_deployment"]);
  });

  it("a service token counts as the member who has created it, and after a rotation as who has rotated it", async () => {
    const project = await TestProject.connected({ approval: "by_another" });
    const { ada, bob } = await addPeople(project);
    const made = await makeToken(ada.session, { name: "CI", scopes: ["deployments:write"] });
    const { token: rotated } = await rotate(bob.session, made.id);
    for (const [secret, owner, other] of [
      [made.token, ada, bob],
      [rotated, bob, ada],
    ] as const) {
      const id = await deployedBy(project, secret);
      expect(await refusalOf(approve(project, id, { token: owner.session }))).toEqual([
        403,
        "own_deployment",
      ]);
      expect((await approve(project, id, { token: other.session })).status).toBe(200);
      await project.agent.completes(await project.agent.orderOf(id));
    }
  });

  it("another person can, and the record and the events name both", async () => {
    const project = await TestProject.connected({ approval: "by_another" });
    const { ada, bob } = await addPeople(project);
    const id = await deployedBy(project, ada.session);
    expect((await approve(project, id, { token: bob.session })).status).toBe(200);
    const [by, approver] = [
      { type: "token", name: "Ada", member: { id: ada.id, name: "Ada" } },
      { type: "token", name: "Bob", member: { id: bob.id, name: "Bob" } },
    ];
    expect(await project.deployment(id)).toMatchObject({ actor: by, approved_by: approver });
    const approved = (await recordedEvents(project.id)).find(({ type }) => type === "deployment.approved");
    expect(approved?.data).toMatchObject({ actor: approver, deployment: { actor: by } });
  });

  it("a service token counts as its creator also after the creator has left", async () => {
    const project = await TestProject.connected({ approval: "by_another" });
    const { ada, bob } = await addPeople(project);
    const other = await makeToken(bob.session, { scopes: ["deployments:approve", "deployments:read"] });
    const id = await deployedBy(project, bob.serviceToken);
    const removed = await call(`/v1/members/${bob.id}`, { method: "DELETE", token: ada.session });
    expect(removed.status).toBe(204);
    expect(await refusalOf(approve(project, id, { token: other.token }))).toEqual([403, "own_deployment"]);
    expect((await approve(project, id, { token: ada.session })).status).toBe(200);
  });

  it("anybody with the scope can approve a push, also a service token", async () => {
    const { project, hook } = await hooked({ approval: "by_another" });
    await project.agent.connect();
    const { ada } = await addPeople(project);
    const { deployments } = await delivered(hook);
    const id = String(deployments[0]?.id);
    await project.awaitsApproval(id);
    expect((await approve(project, id, { token: ada.serviceToken })).status).toBe(200);
  });

  it("tokens are compared where no person is known", async () => {
    const project = await TestProject.connected({ approval: "by_another" });
    const { ada } = await addPeople(project);
    const id = await deployedBy(project, await oldToken(project));
    expect((await approve(project, id, { token: ada.session })).status).toBe(200);
  });
});

describe("with by_another_person", () => {
  it("a service token cannot approve, and a member can, also with a personal token", async () => {
    const { project, hook } = await hooked({ approval: "by_another_person" });
    await project.agent.connect();
    const { ada } = await addPeople(project);
    const { deployments } = await delivered(hook);
    const id = String(deployments[0]?.id);
    await project.awaitsApproval(id);
    for (const token of [ada.serviceToken, await oldToken(project)])
      expect(await problemOf(await approve(project, id, { token }))).toMatchObject({
        status: 403,
        code: "person_required",
        detail: "A person must approve v1: in the session of a member, or with a personal token of one.",
      });
    expect((await approve(project, id, { token: ada.personalToken })).status).toBe(200);
  });

  it("the person who has started a deployment with a service token cannot approve it", async () => {
    const project = await TestProject.connected({ approval: "by_another_person" });
    const { ada, bob } = await addPeople(project);
    const id = await deployedBy(project, ada.serviceToken);
    expect(await refusalOf(approve(project, id, { token: ada.session }))).toEqual([403, "own_deployment"]);
    expect((await approve(project, id, { token: bob.session })).status).toBe(200);
  });
});

describe("a weaker rule", () => {
  const patch = async (project: TestProject, token: string, approval: string) =>
    await call(`/v1/projects/${project.id}`, { method: "PATCH", token, body: { approval } });

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    return () => vi.useRealTimers();
  });

  it("needs a session that its member has just confirmed; a stricter or the same one does not", async () => {
    const project = await TestProject.create({ approval: "required" });
    const { ada } = await addPeople(project);
    expect((await patch(project, ada.session, "none")).status).toBe(200);
    vi.setSystemTime(Date.now() + 11 * 60_000);
    for (const rule of ["required", "by_another", "by_another", "by_another_person"])
      expect((await patch(project, ada.session, rule)).status).toBe(200);
    for (const rule of ["by_another", "required", "none"])
      expect(await refusalOf(patch(project, ada.session, rule))).toEqual([403, "reauthentication_required"]);
    expect(await (await project.get(`/v1/projects/${project.id}`)).json()).toMatchObject({
      approval: "by_another_person",
    });
  });

  it("can be set with an API token, as before", async () => {
    const project = await TestProject.create({ approval: "by_another" });
    const { ada } = await addPeople(project);
    vi.setSystemTime(Date.now() + 11 * 60_000);
    expect((await patch(project, ada.personalToken, "required")).status).toBe(200);
    expect((await patch(project, await oldToken(project), "none")).status).toBe(200);
  });

  it("changes no other setting if it is refused, and other settings need no confirmation", async () => {
    const project = await TestProject.create({ approval: "required" });
    const { session: token } = (await addPeople(project)).ada;
    vi.setSystemTime(Date.now() + 11 * 60_000);
    const path = `/v1/projects/${project.id}`;
    expect((await call(path, { method: "PATCH", token, body: { keep_releases: 7 } })).status).toBe(200);
    const body = { approval: "none", keep_releases: 8 };
    expect((await call(path, { method: "PATCH", token, body })).status).toBe(403);
    expect(await (await call(path, { token })).json()).toMatchObject({ keep_releases: 7 });
  });
});
