import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { laneOf, TestProject } from "./project.ts";

export const DAY_MS = 24 * 3_600_000;

/** The remaining data of a project: rows, log objects, and rows of its lane. */
export async function remains({ id }: TestProject) {
  const [projects, deployments] = await env.DB.batch([
    env.DB.prepare("SELECT id FROM projects WHERE id = ?").bind(id),
    env.DB.prepare("SELECT id FROM deployments WHERE project_id = ?").bind(id),
  ]);
  const logs = (await env.LOGS.list()).objects.filter(({ key }) => key.includes(id));
  return { rows: (projects?.results.length ?? 0) + (deployments?.results.length ?? 0), logs: logs.length };
}

/** The number of rows that a lane has in each table. */
export async function laneTables(project: TestProject): Promise<Record<string, number>> {
  return await runInDurableObject(laneOf(project), (_lane, { storage }) => {
    const isThere = (table: string) =>
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", table).toArray().length > 0;
    const count = (table: string) =>
      isThere(table) ? storage.sql.exec(`SELECT * FROM ${table}`).toArray().length : 0;
    const tables = [
      "lane",
      "deployments",
      "log_heads",
      "log_chunks",
      "log_parts",
      "servings",
      "project_removal",
    ];
    return Object.fromEntries(tables.map((table) => [table, count(table)]));
  });
}
