import { join } from "node:path";

import type { Deployment } from "#contract/deployments.ts";

import type { Installation } from "../installation.ts";
import { databasesIn, logObjectKeys, query, unfinishedUploads } from "../stored.ts";

/** In R2: one object for each deployment that has ended, and nothing else. */
export function logObjectViolations({ home }: Installation, ended: readonly Deployment[]): string[] {
  const keys = logObjectKeys(home);
  const violations = unfinishedUploads(home).map((key) => `an upload of ${key} was never finished`);
  const wanted = new Map(ended.map((one) => [`${one.project_id}/${one.id}/log.ndjson`, one]));
  for (const key of keys) {
    const name = key.split("/").slice(2).join("/");
    if (!wanted.delete(name)) violations.push(`R2 holds ${key}`);
  }
  for (const [name, one] of wanted) violations.push(`R2 has no ${name} (v${one.version}, ${one.status})`);
  return violations;
}

/** What a lane keeps only until somebody else has it. */
const OUTBOXES = ["serving", "found", "removals", "project_removal", "log_heads", "log_chunks", "log_parts"];

/** Nothing waits in a lane: D1 and R2 have everything. */
export function laneViolations({ home }: Installation): string[] {
  const violations: string[] = [];
  for (const lane of databasesIn(join(home, "state/v3/do/gantry-ProjectLane"))) {
    const tables = query(lane, "SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => name);
    for (const table of OUTBOXES.filter((name) => tables.includes(name))) {
      const [row] = query(lane, `SELECT count(*) AS rows FROM ${table}`);
      if (row?.["rows"] !== 0) violations.push(`${lane} still has ${String(row?.["rows"])} in ${table}`);
    }
    if (!tables.includes("deployments")) continue;
    const [row] = query(lane, "SELECT count(*) AS rows FROM deployments WHERE revision > written_revision");
    if (row?.["rows"] !== 0) violations.push(`${lane} has deployments that D1 does not know`);
  }
  return violations;
}
