import { eq, sql } from "drizzle-orm";

import { MAX_FREEZES } from "#contract/endpoints/freezes/schemas.ts";
import type { FreezeId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { freezes } from "#worker/db/push-tables.ts";
import { projects } from "#worker/db/schema.ts";
import type { Position } from "#worker/db/reads.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** A freeze's row in D1. Times are Unix milliseconds. */
export type FreezeRecord = Omit<typeof freezes.$inferSelect, "accountId">;

/** A freeze with the name of its project; null: it holds all projects of the account. */
export type FreezeReading = FreezeRecord & { readonly projectName: string | null };

/** The freeze with this id; null if there is none, or if the caller may not see it. */
export async function findFreeze(rows: AccountRows, id: FreezeId): Promise<FreezeReading | null> {
  return await rows.find(fieldsOf, freezes, id);
}

/** The freezes that the caller may see, newest first. */
export async function listFreezes(rows: AccountRows, position: Position<FreezeId>): Promise<FreezeReading[]> {
  return await rows.page(fieldsOf, freezes, freezes.id, position);
}

function fieldsOf(rows: AccountRows) {
  const { id, projectId, name, times, createdAt, createdBy } = freezes;
  const projectName = rows.first<string>(
    projects.name,
    projects,
    eq(projects.id, freezes.projectId),
    projects.id.getSQL(),
  );
  return { id, projectId, name, times, createdAt, createdBy, projectName };
}

// `recorded`: what records the change (`requestWrites`), in the same batch.

/** Adds a freeze. `not_added`: the account has too many, or its project does not exist. */
export async function insertFreeze(
  rows: AccountRows,
  freeze: FreezeRecord,
  recorded: readonly Write[],
): Promise<"inserted" | "added_before" | "not_added"> {
  const hasRoom = sql`${rows.countAll(freezes)} < ${MAX_FREEZES}`;
  const { projectId } = freeze;
  const hasProject =
    projectId === null ? sql`true` : sql`${rows.count(projects, eq(projects.id, projectId))} = 1`;
  const insert = rows.insert(freezes, freeze, sql`${hasRoom} and ${hasProject}`);
  try {
    const [inserted] = await rows.runTogether([insert, ...recorded]);
    return inserted === 1 ? "inserted" : "not_added";
  } catch (error) {
    if (uniqueViolation(error) === "freezes.id") return "added_before";
    throw error;
  }
}

/** Changes a freeze. Undefined fields keep their values. @returns false if it does not exist */
export async function changeFreeze(
  rows: AccountRows,
  id: FreezeId,
  changes: { readonly [Name in "name" | "times"]: FreezeRecord[Name] | undefined },
  recorded: readonly Write[],
): Promise<boolean> {
  const update = rows.update(freezes, changes, eq(freezes.id, id));
  const [changed] = await rows.runTogether([update, ...recorded]);
  return changed === 1;
}

/** Deletes a freeze. @returns false if it does not exist */
export async function removeFreeze(
  rows: AccountRows,
  id: FreezeId,
  recorded: readonly Write[],
): Promise<boolean> {
  const [removed] = await rows.runTogether([rows.delete(freezes, eq(freezes.id, id)), ...recorded]);
  return removed === 1;
}
