import { eq, sql } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { computedEventWrites } from "#worker/db/changes/change-writes.ts";
import type { StoredChange } from "#worker/db/changes/stored-change.ts";
import { servers } from "#worker/db/schema.ts";

/** Adds events of a server's status with its name, unless the server was deleted. Safe to repeat. */
export function serverEventWrites(
  rows: AccountRows,
  id: ServerId,
  changes: readonly StoredChange[],
): Write[] {
  const ofServer = eq(servers.id, id);
  const name = rows.first<string>(servers.name, servers, ofServer, sql`1`);
  const exists = sql`${rows.count(servers, ofServer)} = 1`;
  return changes.flatMap(({ event }) => {
    if (event === null) return [];
    const { data, ...row } = event;
    const named = sql`json_set(${JSON.stringify(data)}, '$.server.name', ${name})`;
    return computedEventWrites(rows, row, named, exists);
  });
}
