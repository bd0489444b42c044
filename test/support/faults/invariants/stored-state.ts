import { join } from "node:path";

import type { Deployment } from "#contract/endpoints/deployments/schemas.ts";

import type { Installation } from "../installation.ts";
import { databasesIn, logObjectKeys, query, unfinishedUploads } from "../stored.ts";

/** Checks that R2 has one log for each ended deployment, and no other. */
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

/** The tables in which objects keep data only until it is delivered. */
const OUTBOXES = {
  "gantry-ProjectLane": [
    ...["servings", "detected", "corrections", "removals", "project_removal"],
    ...["log_heads", "log_chunks", "log_parts", "changes"],
  ],
  "gantry-AgentLink": ["said", "serving", "changes", "found_pushes"],
  "gantry-EventFeed": ["behind"],
} as const;

/** Checks that no object has undelivered data for D1, R2, the servers or webhooks. */
export function waitingViolations({ home }: Installation): string[] {
  const violations: string[] = [];
  for (const [name, outboxes] of Object.entries(OUTBOXES)) {
    for (const object of databasesIn(join(home, "state/v3/do", name))) {
      const tables = query(object, "SELECT name FROM sqlite_master WHERE type = 'table'").map(
        (row) => row["name"],
      );
      for (const table of outboxes.filter((one) => tables.includes(one)))
        if (rowsOf(object, table) > 0)
          violations.push(`${object} still has ${rowsOf(object, table)} in ${table}`);
      if (!tables.includes("lane")) continue;
      if (rowsOf(object, "deployments WHERE revision > written_revision") > 0)
        violations.push(`${object} has deployments that D1 lacks`);
      if (
        rowsOf(
          object,
          "lane, json_each(lane.json, '$.placements') WHERE value ->> '$.state.name' = 'leaving'",
        ) > 0
      )
        violations.push(`${object} waits for a server to remove its project`);
    }
  }
  return violations;
}

function rowsOf(database: string, what: string): number {
  const [row] = query(database, `SELECT count(*) AS rows FROM ${what}`);
  return Number(row?.["rows"]);
}
