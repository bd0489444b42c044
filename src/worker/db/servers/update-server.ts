import { eq } from "drizzle-orm";

import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";
import type { ServerId } from "#contract/ids.ts";
import type { Region } from "#contract/regions.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** Undefined fields keep their values. */
type ServerChanges = {
  readonly name?: string | undefined;
  readonly ip?: string | undefined;
  readonly region?: Region | null | undefined;
};

type ServerUpdate = "updated" | "name_taken" | "no_such_server";

/**
 * Changes a server's settings. The database's unique constraint decides whether the name is free.
 * @param recorded the writes that record it
 */
export async function updateServer(
  rows: AccountRows,
  id: ServerId,
  changes: ServerChanges,
  recorded: readonly Write[],
): Promise<ServerUpdate> {
  try {
    const [count] = await rows.runTogether([rows.update(servers, changes, eq(servers.id, id)), ...recorded]);
    return count === 1 ? "updated" : "no_such_server";
  } catch (error) {
    if (uniqueViolation(error) === "servers.account_id, servers.name") return "name_taken";
    throw error;
  }
}
