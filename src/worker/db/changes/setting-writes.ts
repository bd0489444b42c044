import { and, eq, getTableColumns, isNotNull, SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { EventId, ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { auditWrites, computedEventWrites } from "#worker/db/changes/change-writes.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import { auditEntries } from "#worker/db/event-tables.ts";
import { projects } from "#worker/db/schema.ts";

/** Who changes settings: the entry of the request, and the id of the event. */
export type SettingsOrigin = { readonly audit: StoredEntry; readonly eventId: EventId };

/** The writes before and after the statement that changes a project's row, for the same batch. */
export type SettingWrites = { readonly before: readonly Write[]; readonly after: readonly Write[] };

/** These can contain a token: in the address, or in the query of a URL. */
const WITH_SECRETS: readonly string[] = [projects.repository.name, projects.healthCheck.name];

/** Columns that no request sets: they follow from others. */
const DERIVED: readonly string[] = [projects.deployKey.name, projects.repositoryKey.name];

/**
 * Records a change of a project's settings with the values before and after it, and the event if a value differs. D1
 * compares them, so that a change needs no read before it, and no other request can come in between.
 * @param to the new values, by the names of the columns; undefined: not changed
 * @param isChanged the condition of the update
 */
export function settingWrites(
  rows: AccountRows,
  id: ProjectId,
  to: Readonly<Record<string, unknown>>,
  isChanged: SQL | undefined,
  { audit, eventId }: SettingsOrigin,
): SettingWrites {
  const ofProject = eq(projects.id, id);
  const one = sql`1`;
  const target = sql`json_object('type', 'project', 'id', ${id}, 'name', ${projects.name})`;
  const computed = new Map<SQLiteColumn, SQL>([
    [auditEntries.target, rows.first(target, projects, ofProject, one)],
    [auditEntries.changes, rows.first(differences(to), projects, ofProject, one)],
  ]);
  const isPossible = sql`${rows.count(projects, isChanged)} = 1`;
  const ofEntry = eq(auditEntries.id, audit.id);
  const changed = rows.first(
    sql`(select json_group_array(key) from json_each(${auditEntries.changes}))`,
    auditEntries,
    ofEntry,
    one,
  );
  const reference = sql`json_object('id', ${id}, 'name', ${projects.name})`;
  const data = sql`json_object('project', json(${rows.first(reference, projects, ofProject, one)}), 'changed', json(${changed}))`;
  const { actor, createdAt } = audit;
  const event = { id: eventId, projectId: id, type: "project.updated" as const, actor, createdAt };
  const hasDifference = sql`${rows.count(auditEntries, and(ofEntry, isNotNull(auditEntries.changes)))} = 1`;
  return {
    before: auditWrites(rows, [audit], isPossible, computed),
    after: computedEventWrites(rows, event, data, hasDifference),
  };
}

/** The settings whose values differ from the project's row, as AuditChanges; null: none. */
function differences(to: Readonly<Record<string, unknown>>): SQL {
  const columns = new Map(Object.entries(getTableColumns(projects)));
  const settings = Object.entries(to).flatMap(([key, value]) => {
    const column = columns.get(key);
    if (column === undefined || value === undefined || DERIVED.includes(column.name)) return [];
    const stored = value instanceof SQL || value === null ? value : column.mapToDriverValue(value);
    // D1 binds each number as a REAL, which would be in the JSON as 9.0.
    const after = column.getSQLType() === "integer" ? sql`cast(${stored} as integer)` : sql`${stored}`;
    const isJson = column.dataType === "json";
    const shown = (of: SQL) => shownValue(of, isJson, WITH_SECRETS.includes(column.name));
    return sql`json_array(${sql.raw(`'${column.name}'`)}, ${column} is not ${after}, ${shown(sql`${column}`)}, ${shown(after)})`;
  });
  return sql`(select nullif(json_group_object(value ->> 0, json_object('before', value -> 2, 'after', value -> 3)), '{}') from json_each(json_array(${sql.join(settings, sql`, `)})) where value ->> 1)`;
}

function shownValue(value: SQL, isJson: boolean, mayHaveSecret: boolean): SQL {
  const masked = (mask: string) =>
    sql`case when instr(${value}, '?') or ${value} like '%http%@%' then ${sql.raw(`'${mask}'`)} else ${value} end`;
  if (!mayHaveSecret) return isJson ? sql`json(${value})` : value;
  return isJson ? sql`json(${masked('"***"')})` : masked("***");
}
