import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { DeliveryQueue } from "#worker/objects/agent-link/delivery-queue.ts";
import { ids } from "../../support/worker/account.ts";
import { onCalls } from "../../support/worker/intercept.ts";

const PROJECTS = 300;

it("what a server with many projects has said is read a few times for each, not for each as often as there are others", async () => {
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
    const inbox = new DeliveryQueue(storage.sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    onCalls(Object.getPrototypeOf(storage.sql), "exec", (_values, cursor) => {
      if (cursor instanceof storage.sql.Cursor) cursors.push(cursor);
    });
    inbox.takeHello(hello, 1);
    for (const report of hello.projects) inbox.takeChange({ ...report, release: null }, 2);
    const said = inbox.said();
    expect(said.map((one) => one.said.report?.release)).toEqual(hello.projects.map(() => null));
    for (const one of said) inbox.noteHeard(one.projectId, one.said);
    expect(inbox.said()).toEqual([]);
    expect(cursors.length).toBeGreaterThan(PROJECTS);
    expect(cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBeLessThan(20 * PROJECTS);
  });
});
