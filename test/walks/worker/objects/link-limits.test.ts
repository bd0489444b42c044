import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { ServerId } from "#contract/ids.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import { storedChange } from "#worker/db/changes/stored-change.ts";
import { FoundPushes } from "#worker/objects/agent-link/found-pushes.ts";
import { ChangeOutbox } from "#worker/objects/shared/change-outbox.ts";
import { ids } from "../../../support/worker/account.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { recordedStatuses } from "../../../support/worker/recorded.ts";
import { onPrepare } from "../../../support/worker/statements.ts";

/** On the free plan an invocation can send D1 this many statements. Source: Cloudflare's documentation, "Limits of D1". */
const STATEMENTS = 50;
const COUNT = 60;

/** Stores something in a project's link, and counts the statements of each alarm until the link stores nothing of it. */
async function deliver(project: TestProject, table: string, store: (storage: DurableObjectStorage) => void) {
  const link = () => env.AGENT_LINK.getByName(project.agent.serverId);
  await runInDurableObject(link(), (_link, { storage }) => store(storage));
  await evictDurableObject(link());
  const counts: number[] = [];
  let count = 0;
  const stop = onPrepare(() => (count += 1));
  const left = async () =>
    await runInDurableObject(link(), (_link, { storage }) =>
      storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
    );
  while ((await left()).length > 0 && counts.length < COUNT) {
    count = 0;
    await runDurableObjectAlarm(link());
    counts.push(count);
  }
  stop();
  expect(await left()).toEqual([]);
  return counts;
}

it("a link that could not write many events for hours writes some at a time, in order", async () => {
  const project = await TestProject.connected();
  const { serverId } = project.agent;
  const before = await recordedStatuses(serverId);
  const statuses = Array.from({ length: COUNT }, (_, at) => (at % 2 === 0 ? "offline" : "healthy"));
  const counts = await deliver(project, "changes", ({ sql }) => {
    const outbox = new ChangeOutbox(sql);
    for (const status of statuses) {
      const data = { server: { id: ServerId.parse(serverId), name: "", status }, changed: [] };
      const event = { id: ids.event(), type: `server.${status}`, data, actor: SYSTEM } as const;
      outbox.add(storedChange({ ...event, createdAt: Date.now() }, null));
    }
  });
  expect(Math.max(...counts)).toBeLessThanOrEqual(STATEMENTS);
  expect(await recordedStatuses(serverId)).toEqual([...before, ...statuses]);
});

it("a link whose agent has found a push of many projects decides about some at a time", async () => {
  const project = await TestProject.connected();
  const sha = "a".repeat(40);
  const tip = { type: "tip_moved", repository: "https://git.test/shop.git", branch: "main" } as const;
  const commit = { before: "b".repeat(40), commit_sha: sha, commit_message: "Change", paths: null };
  const counts = await deliver(project, "found_pushes", ({ sql }) => {
    const found = new FoundPushes(sql);
    for (let added = 0; added < COUNT; added += 1)
      found.add({ ...tip, ...commit, project_id: ids.project() }, Date.now());
  });
  expect(Math.max(...counts)).toBeLessThanOrEqual(STATEMENTS);
});
