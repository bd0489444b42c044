import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";

import { createHome, removeHome, startSystem, type System } from "../support/journey-system.ts";

const STARTS = 50;

let home: string;
let system: System;

beforeAll(async () => {
  home = await createHome();
  system = await startSystem(home);
}, 120_000);
afterAll(async () => {
  await system.interrupt();
  await removeHome(home);
}, 60_000);

describe("50 starts of one project at the same moment", () => {
  it("get 50 consecutive versions, run one at a time in order, and the last one is live at the end", async () => {
    const { api, local } = system;
    const path = `/v1/projects/${local.project_id}/deployments`;
    const responses = await Promise.all(Array.from({ length: STARTS }, () => api.call("POST", path)));
    expect(responses.map((response) => response.status)).toEqual(Array(STARTS).fill(201));
    const started = responses.map((response) => DeploymentStarted.parse(response.json));
    const versions = started.map((start) => start.version).toSorted((a, b) => a - b);
    // npm start deployed version 1.
    expect(versions).toEqual(Array.from({ length: STARTS }, (_, index) => index + 2));
    expect(new Set(started.map((start) => start.id)).size).toBe(STARTS);

    const last = started.find((start) => start.version === STARTS + 1);
    await api.waitUntil(last?.id ?? "", ({ status }) => status !== "building", 100_000);
    const all = (await api.listDeployments(local.project_id)).toReversed();
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
    const site = await fetch(local.site_url);
    expect([site.status, site.headers.get("gantry-release")]).toEqual([200, `${STARTS + 1}`]);
  }, 120_000);
});
