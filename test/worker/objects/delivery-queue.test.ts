import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { DeliveryQueue } from "#worker/objects/agent-link/delivery-queue.ts";
import { ids } from "../../support/worker/account.ts";
import { onCalls } from "../../support/worker/intercept.ts";

const PROJECTS = 300;

it("reads each row a few times when many projects of one server change", async () => {
  const hello = {
    projects: Array.from({ length: PROJECTS }, () => ({
      project_id: ids.project(),
      release: 1,
      releases: [1],
      url: null,
    })),
    runs: [],
  };
  await runInDurableObject(env.AGENT_LINK.getByName(ids.server()), (_link, { storage }) => {
    const queue = new DeliveryQueue(storage.sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    onCalls(Object.getPrototypeOf(storage.sql), "exec", (_values, cursor) => {
      if (cursor instanceof storage.sql.Cursor) cursors.push(cursor);
    });
    queue.addHello(hello, 1);
    for (const report of hello.projects) queue.addChange({ ...report, release: null }, 2);
    const pending = queue.laneReports();
    expect(pending.map((one) => one.report.report?.release)).toEqual(hello.projects.map(() => null));
    for (const one of pending) queue.noteDelivered(one.projectId, one.report);
    expect(queue.laneReports()).toEqual([]);
    expect(cursors.length).toBeGreaterThan(PROJECTS);
    expect(cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBeLessThan(20 * PROJECTS);
  });
});
