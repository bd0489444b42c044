import { describe, expect, it } from "vitest";

import { type PauseResult, ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import { TestProject } from "../../support/worker/project.ts";

const pausePath = ({ id }: TestProject) => `/v1/projects/${id}/pause`;

describe("the pause of a project", () => {
  it("is begun and ended by its server before the answer", async () => {
    const project = await TestProject.answering();
    const before = Date.now();
    const paused = await project.post(pausePath(project), { seconds: 20 });
    const { paused_until } = ProjectPause.parse(await paused.json());
    expect(Date.parse(paused_until ?? "")).toBeGreaterThanOrEqual(before + 20_000);
    const resumed = await project.post(`/v1/projects/${project.id}/resume`, {});
    expect(await resumed.json()).toEqual({ paused_until: null });
    const sent = project.agent.received.flatMap((one) => (one.type === "set_pause" ? [one.seconds] : []));
    expect(sent).toEqual([20, 0]);
  });

  it("is refused while the server is not connected, and for any other time than 1 to 30 s", async () => {
    const project = await TestProject.create();
    const refused = await project.post(pausePath(project), { seconds: 20 });
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: "server_offline" }]);
    for (const seconds of [0, 31, 1.5])
      expect((await project.post(pausePath(project), { seconds })).status).toBe(422);
  });

  it.each<[PauseResult, number, string]>([
    [{ ok: false, code: "not_live", message: "Nothing is live." }, 409, "not_live"],
    [{ ok: false, code: "no_ingress", message: "No ingress." }, 409, "no_ingress"],
    [{ ok: false, code: "failed", message: "No space left." }, 503, "unavailable"],
  ])("is refused with what the server says: %j", async (result, status, code) => {
    const project = await TestProject.create();
    await project.agent.connect({ deployKeys: [] });
    await project.agent.receives("welcome");
    const answer = project.post(pausePath(project), { seconds: 5 });
    const { request_id, project_id } = await project.agent.receives("set_pause");
    project.agent.answer({ type: "pause_set", request_id, project_id, result });
    const refused = await answer;
    expect([refused.status, await refused.json()]).toMatchObject([status, { code }]);
  });
});
