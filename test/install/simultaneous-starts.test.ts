import { beforeAll, describe, expect, it } from "vitest";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { type UsedSystem, useSystem } from "../support/use-system.ts";

const STARTS = 50;

let system: UsedSystem;
let project: Project;

beforeAll(async () => {
  system = await useSystem();
  const { api, local } = system;
  const { repository } = await api.getProject(local.project_id);
  project = await api.createProject({ name: "rush", server_id: local.server_id, repository });
  expect((await api.ended((await api.start(project.id)).id)).status).toBe("live");
});

describe("50 starts of one project at the same moment", () => {
  it("get 50 consecutive versions, run one at a time in order, and the last one is live at the end", async () => {
    const { api } = system;
    const path = `/v1/projects/${project.id}/deployments`;
    const responses = await Promise.all(Array.from({ length: STARTS }, () => api.call("POST", path)));
    expect(responses.map((response) => response.status)).toEqual(Array(STARTS).fill(201));
    const started = responses.map((response) => DeploymentStarted.parse(response.json));
    const versions = started.map((start) => start.version).toSorted((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: STARTS }, (_, index) => index + 2));
    expect(new Set(started.map((start) => start.id)).size).toBe(STARTS);

    const last = started.find((start) => start.version === STARTS + 1);
    await api.waitUntil(last?.id ?? "", ({ status }) => status !== "building");
    const all = (await api.listDeployments(project.id)).toReversed();
    expect(all.map((deployment) => deployment.version)).toEqual([1, ...versions]);

    // Each was live, with evidence, and was then superseded.
    expect(all.map((deployment) => deployment.status)).toEqual([...Array(STARTS).fill("superseded"), "live"]);
    for (const deployment of all) {
      expect(deployment.failure).toBeNull();
      expect(deployment.evidence?.target).toContain(`${deployment.version}`);
    }
    // Each started after the previous one had ended.
    for (const [index, deployment] of all.entries()) {
      const before = all[index - 1]?.finished_at ?? "";
      expect((deployment.started_at ?? "") >= before, `version ${deployment.version}`).toBe(true);
    }
    const { url } = await api.getProject(project.id);
    const site = await fetch(url ?? "");
    expect([site.status, site.headers.get("gantry-release")]).toEqual([200, `${STARTS + 1}`]);
  });
});
