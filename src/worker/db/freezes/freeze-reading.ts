import { eq } from "drizzle-orm";

import type { FreezeId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { freezes } from "#worker/db/push-tables.ts";
import { projects } from "#worker/db/schema.ts";

/** A freeze's row in D1. Times are Unix milliseconds. */
export type FreezeRecord = Omit<typeof freezes.$inferSelect, "accountId">;

/** A freeze with the name of its project; null: it holds all projects of the account. */
export type FreezeReading = FreezeRecord & { readonly projectName: string | null };

/** The freeze with this id; null if there is none, or if the caller may not see it. */
export async function findFreeze(rows: AccountRows, id: FreezeId): Promise<FreezeReading | null> {
  const selection = { where: eq(freezes.id, id), limit: 1 };
  const [freeze] = await rows.select(fieldsOf, freezes, selection);
  return freeze ?? null;
}

/** The freezes that the caller may see, newest first. */
export async function listFreezes(rows: AccountRows, position: Position<FreezeId>): Promise<FreezeReading[]> {
  return await rows.select(fieldsOf, freezes, newestFirst(freezes.id, position));
}

function fieldsOf(rows: AccountRows) {
  const { id, projectId, name, times, createdAt } = freezes;
  const projectName = rows.first<string>(
    projects.name,
    projects,
    eq(projects.id, freezes.projectId),
    projects.id.getSQL(),
  );
  return { id, projectId, name, times, createdAt, projectName };
}
