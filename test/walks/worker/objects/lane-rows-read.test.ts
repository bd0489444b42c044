import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import * as z from "zod";

import { output } from "../../../support/connected-agent/events.ts";
import { onCalls } from "../../../support/worker/intercept.ts";
import { LogReader } from "../../../support/worker/log-reader.ts";
import { laneOf, TestProject } from "../../../support/worker/project.ts";

const Cursor = z.object({ rowsRead: z.number() });

/** A project whose lane has the most rows that it keeps: 10,000 deployments in a day, 1,000 of them deleted. */
async function busyProject(): Promise<TestProject> {
  const project = await TestProject.connected();
  await project.deploy();
  await project.deploy();
  const fill = async (_lane: unknown, { storage: { sql } }: DurableObjectState) => {
    const count = (until: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${until})`;
    sql.exec(
      `${count(10_000)} INSERT INTO accepted SELECT 'key ' || i, 'dpl_' || printf('%026d', i), i, ? FROM n`,
      Date.now(),
    );
    sql.exec(`${count(1_000)} INSERT INTO deleted SELECT 'dpl_' || printf('%026d', i), ? FROM n`, Date.now());
    sql.exec(
      `${count(99)} INSERT INTO deployments (id, version, json, variables, revision, written_revision)
       SELECT 'dpl_' || printf('%026d', i), -i,
         json_set(json, '$.id', 'dpl_' || printf('%026d', i), '$.version', -i), variables, 1, 1
       FROM n, deployments WHERE version = 1`,
    );
  };
  await runInDurableObject(laneOf(project), fill);
  const isEnded = runInDurableObject(laneOf(project), (_lane, state) => state.abort("to be loaded again"));
  await expect(isEnded).rejects.toThrow("to be loaded again");
  // Loads the lane, which reads all deployments once.
  expect((await project.get(`/v1/projects/${project.id}/rollback-targets`)).status).toBe(200);
  return project;
}

/** Counts the rows that the lane reads of its own storage until the test ends. */
async function countRows(project: TestProject): Promise<() => number> {
  const cursors: unknown[] = [];
  const prototype = await runInDurableObject(laneOf(project), (_lane, { storage }): object =>
    Object.getPrototypeOf(storage.sql),
  );
  onCalls(prototype, "exec", (_values, cursor) => cursors.push(cursor));
  return () => cursors.splice(0).reduce<number>((sum, cursor) => sum + Cursor.parse(cursor).rowsRead, 0);
}

it("a lane with 10,000 deployments reads only what it needs of its storage", async () => {
  const project = await busyProject();
  const rows = await countRows(project);
  const { id } = await project.start();
  const order = await project.agent.orderOf(id);
  expect(rows(), "for a start").toBeLessThan(1_000);
  await project.agent.reports(order, { type: "stage", stage: "build" });
  await project.agent.reports(order, output("one"));
  rows();
  for (let line = 0; line < 10; line += 1) await project.agent.reports(order, output(`${line}`));
  expect(rows() / 10, "for a report of output").toBeLessThan(100);
  await project.post(`/v1/deployments/${id}/cancel`, {});
  await project.agent.reportsCanceled(order);
  await project.reaches(id, "canceled");
  rows();
  expect((await project.delete(id)).status).toBe(204);
  expect(rows(), "for a deletion").toBeLessThan(500);
});

it("followers of a long log cost the lane only what is new", async () => {
  const project = await TestProject.connected();
  const { id } = await project.start();
  const order = await project.agent.orderOf(id);
  for (let line = 0; line < 300; line += 1) await project.agent.reports(order, output(`${line}.`));
  const rows = await countRows(project);
  const first = await LogReader.follow(project, id);
  await first.sees("299.");
  const others = [await LogReader.follow(project, id), await LogReader.follow(project, id)];
  for (const other of others) await other.sees("299.");
  // Each reads the log once: its lines, and where they begin.
  const caughtUp = rows();
  expect(caughtUp).toBeLessThan(3 * 300 * 5);
  const each: number[] = [];
  for (let line = 0; line < 10; line += 1) {
    await project.agent.reports(order, output(`new ${line}.`));
    for (const reader of [first, ...others]) await reader.sees(`new ${line}.`);
    each.push(rows());
  }
  // The report itself, and one read for all that wait at the same line.
  expect(Math.max(...each), each.join(", ")).toBeLessThan(200);
  await project.agent.completes(order);
});
