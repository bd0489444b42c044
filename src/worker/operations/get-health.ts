import type { Health } from "#contract/account.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { OpenContext } from "#worker/context.ts";
import { checkDatabase } from "#worker/db/check-database.ts";

/** Whether the control plane can answer: its database does, and has its tables. */
export async function getHealth({ database }: OpenContext): Promise<Result<Health, "unavailable">> {
  try {
    await checkDatabase(database);
  } catch {
    return refuse("unavailable", "The database does not answer, or has not been migrated yet.");
  }
  return succeed({ status: "ok" });
}
