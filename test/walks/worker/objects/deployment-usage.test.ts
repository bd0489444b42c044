import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";

import page from "../../../../docs/scaling.md?raw";
import { aroundCalls, onCalls } from "../../../support/worker/intercept.ts";
import { partMethods } from "../../../support/worker/parts.ts";
import { deployToAll } from "../../../support/worker/deploy-to-all.ts";
import { TestProject } from "../../../support/worker/project.ts";
import { databasePrototypes } from "../../../support/worker/statements.ts";

const Meta = z.object({ meta: z.object({ rows_written: z.number() }) });
const Cursor = z.object({ rowsWritten: z.number() });

type Usage = { d1Rows: number; objectRows: number; objectCalls: number; r2Writes: number };

/** What Cloudflare bills for until the test ends. */
async function countUsage(project: TestProject): Promise<Usage> {
  const usage: Usage = { d1Rows: 0, objectRows: 0, objectCalls: 0, r2Writes: 0 };
  const countRows = async (act: () => unknown) => {
    const result: unknown = await act();
    for (const one of Array.isArray(result) ? result : [result])
      usage.d1Rows += Meta.safeParse(one).data?.meta.rows_written ?? 0;
    return result;
  };
  const statement: object = Object.getPrototypeOf(env.DB.prepare("select 1"));
  for (const method of ["run", "all"]) aroundCalls(statement, method, countRows);
  for (const prototype of databasePrototypes()) aroundCalls(prototype, "batch", countRows);
  await runInDurableObject(env.PROJECT_LANE.getByName(project.id), (_lane, { storage }) => {
    onCalls(Object.getPrototypeOf(storage.sql), "exec", (_values, cursor) => {
      usage.objectRows += Cursor.parse(cursor).rowsWritten;
    });
    for (const method of ["put", "delete"])
      onCalls(Object.getPrototypeOf(storage.kv), method, () => (usage.objectRows += 1));
    onCalls(Object.getPrototypeOf(storage), "setAlarm", () => (usage.objectRows += 1));
  });
  for (const { part, owner, method } of partMethods()) {
    if (part === "r2" && method === "put") onCalls(owner, method, () => (usage.r2Writes += 1));
    if (part !== "r2" && part !== "d1") onCalls(owner, method, () => (usage.objectCalls += 1));
  }
  return usage;
}

/** Compares the usage with the row of the page, which says the most. */
function expectAtMost({ d1Rows, objectRows, objectCalls, r2Writes }: Usage, what: string): void {
  const measured = [d1Rows, objectRows, objectCalls, r2Writes];
  const row = new RegExp(
    `^\\| ${what} \\| ([\\d,]+) \\| ([\\d,]+) \\| ([\\d,]+) \\| ([\\d,]+) \\|`,
    "m",
  ).exec(page);
  const said = (row ?? []).slice(1).map((count) => Number(count.replaceAll(",", "")));
  expect(said, `measured: ${measured.join(", ")}`).toHaveLength(measured.length);
  for (const [at, most] of said.entries()) {
    expect(measured[at], `measured: ${measured.join(", ")}`).toBeLessThanOrEqual(most);
    expect(measured[at], `measured: ${measured.join(", ")}`).toBeGreaterThan(0);
  }
}

it("a deployment uses at most what docs/scaling.md says", async () => {
  const project = await TestProject.connected();
  await project.deploy();
  const usage = await countUsage(project);
  await project.deploy();
  expectAtMost(usage, "A deployment");
});

for (const count of [3, 10, 50])
  it(`a deployment on ${count} servers uses at most what docs/scaling.md says`, async () => {
    const { project, agents } = await TestProject.onServers(count);
    await deployToAll(project, agents);
    const usage = await countUsage(project);
    await deployToAll(project, agents);
    expectAtMost(usage, `A deployment on ${count} servers`);
  });
