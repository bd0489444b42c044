import { env, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";

import { LaneStore } from "#worker/objects/project-lane/lane-store.ts";

import { TestProject } from "../../support/worker/project.ts";

it("reads a lane that version 0.1 saved, with the current names", async () => {
  const project = await TestProject.connected();
  await project.deploy();
  project.agent.cut();
  await project.start({});
  const lane = env.PROJECT_LANE.getByName(project.id);
  const [saved, read] = await runInDurableObject(lane, (_lane, { storage: { sql } }) => {
    const before = new LaneStore(sql).load();
    for (const table of ["lane", "deployments"]) {
      const rows = sql
        .exec<{ key: number; json: string }>(`SELECT rowid AS key, json FROM ${table}`)
        .toArray();
      for (const { key, json } of rows)
        sql.exec(`UPDATE ${table} SET json = ? WHERE rowid = ?`, withEarlierNames(json), key);
    }
    return [before, new LaneStore(sql).load()] as const;
  });
  expect(JSON.stringify(saved)).toMatch(/"lastSend":\{"sentAt":\d+,"undelivered":true\}/);
  expect(read).toEqual(saved);
});

function withEarlierNames(json: string): string {
  return json
    .replaceAll('"placements":', '"hosts":')
    .replaceAll('"lastSend":', '"told":')
    .replaceAll('"sentAt":', '"at":')
    .replaceAll('"undelivered":', '"kept":');
}
