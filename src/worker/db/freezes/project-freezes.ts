import { and, eq, isNull, or, sql } from "drizzle-orm";
import * as z from "zod/mini";

import type { ProjectId } from "#contract/ids.ts";
import { storedAs } from "#contract/stored.ts";
import { FreezeRule, type ReadFreezes } from "#domain/freezes/project-freezes.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { events } from "#worker/db/event-tables.ts";
import { freezes } from "#worker/db/push-tables.ts";
import { deployments, projects } from "#worker/db/schema.ts";

const storedRules = storedAs(z.array(FreezeRule));

/** Fields of a statement about projects, from which `freezesOf` reads. Also for a token that cannot see the freezes. */
export function freezeFields(rows: AccountRows) {
  const { id, name, times, projectId } = freezes;
  const item = sql`json_object('id', ${id}, 'name', ${name}, 'times', json(${times}))`;
  return {
    freezes: rows.listAll(item, freezes, or(isNull(projectId), eq(projectId, projects.id))),
    sequence: rows.highest(events, events.sequence),
  };
}

/** The freezes that hold a project. */
export function freezesOf(found: { readonly freezes: unknown; readonly sequence: number }): ReadFreezes {
  return { sequence: found.sequence, rules: storedRules.parse(found.freezes) };
}

/** The freezes that hold a project; null if it does not exist. */
export async function findProjectFreezes(rows: AccountRows, id: ProjectId): Promise<ReadFreezes | null> {
  const selection = { where: eq(projects.id, id), limit: 1 };
  const [found] = await rows.select(freezeFields, projects, selection);
  return found === undefined ? null : freezesOf(found);
}

type FreezesOfProject = { readonly projectId: ProjectId; readonly freezes: ReadFreezes };

/**
 * The freezes of each project that has a deployment that has not ended. One D1 round trip.
 * @param only this project; null: all
 */
export async function findFreezesOfBusy(
  rows: AccountRows,
  only: ProjectId | null,
): Promise<FreezesOfProject[]> {
  const ofProject = and(eq(deployments.projectId, projects.id), sql`${deployments.status} = 'building'`);
  const where = and(
    only === null ? undefined : eq(projects.id, only),
    sql`${rows.count(deployments, ofProject)} > 0`,
  );
  const found = await rows.select({ id: projects.id, ...freezeFields(rows) }, projects, { where });
  return found.map(({ id, ...fields }) => ({ projectId: id, freezes: freezesOf(fields) }));
}
