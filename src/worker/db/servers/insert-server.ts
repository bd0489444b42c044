import { sql } from "drizzle-orm";

import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import type { NewRow } from "#worker/db/owned-tables.ts";
import { servers } from "#worker/db/schema.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** `added_before`: a server with this id or this enrolment token exists. */
type ServerInsertion = "inserted" | "added_before" | "name_taken" | "too_many";

/** Adds a server if its name is free in the account. @param recorded the writes that record it */
export async function insertServer(
  rows: AccountRows,
  server: NewRow<typeof servers>,
  recorded: readonly Write[],
): Promise<ServerInsertion> {
  const onlyIf = sql`${rows.count(servers)} < ${MAX_PER_ACCOUNT}`;
  try {
    const [inserted] = await rows.runTogether([rows.insert(servers, server, onlyIf), ...recorded]);
    return inserted === 1 ? "inserted" : "too_many";
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === "servers.id" || violated === "servers.enrollment_hash") return "added_before";
    if (violated === "servers.account_id, servers.name") return "name_taken";
    throw error;
  }
}
