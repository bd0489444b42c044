import { sql } from "drizzle-orm";

import type { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { type SettingsOrigin, settingWrites } from "#worker/db/changes/setting-writes.ts";
import { projects } from "#worker/db/schema.ts";

/**
 * Turns a project's maintenance on or off. The revision grows with each change, also if two clocks differ. A repeated
 * change is not written, unless its message differs.
 * @param now Unix milliseconds
 * @param origin the request
 */
export async function setMaintenance(
  rows: AccountRows,
  id: ProjectId,
  { on, message }: Pick<MaintenanceState, "on" | "message">,
  now: number,
  origin: SettingsOrigin,
): Promise<void> {
  const current = projects.maintenance;
  // D1 binds each number as a REAL, which would be in the JSON as 1795882049595.0.
  const revision = sql`cast(max(${now}, coalesce(${current} ->> 'revision', 0) + 1) as integer)`;
  const maintenance = sql`json_object('revision', ${revision}, 'on', json(${String(on)}), 'message', ${message})`;
  const isSame = sql`${current} ->> 'on' = ${on ? 1 : 0} and ${current} ->> 'message' is ${message}`;
  const isChange = sql`${projects.id} = ${id} and coalesce(not (${isSame}), 1)`;
  const { before, after } = settingWrites(
    rows,
    id,
    { maintenance },
    { isChanged: isChange, origin, settings: null },
  );
  await rows.runTogether([...before, rows.update(projects, { maintenance }, isChange), ...after]);
}
