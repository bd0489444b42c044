import { and, eq, getTableColumns, isNotNull, SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import { settingsWith } from "#contract/endpoints/projects/project-settings.ts";
import type { EventId, ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { auditWrites, computedEventWrites } from "#worker/db/changes/change-writes.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import type { ChangedSettings } from "#worker/db/projects/settings-column.ts";
import { auditEntries } from "#worker/db/event-tables.ts";
import { projects } from "#worker/db/schema.ts";

/** Who changes settings: the entry of the request, and the id of the event. */
export type SettingsOrigin = { readonly audit: StoredEntry; readonly eventId: EventId };

/** The writes before and after the statement that changes a project's row, for the same batch. */
export type SettingWrites = { readonly before: readonly Write[]; readonly after: readonly Write[] };

/** These can contain a token: in the address, or in the query of a URL. */
const WITH_SECRETS: readonly string[] = ["repository", "health_check"];

/** Settings whose null is shown as an empty text, because a missing value is null. */
const shownEmpty = settingsWith("kind", "automatic_or_none");

/** Columns that no request sets: they follow from others. */
const DERIVED: readonly string[] = [
  projects.deployKey.name,
  projects.repositoryKey.name,
  projects.settings.name,
];

/** `settings`: the changes of the JSON column; null: none. `isChanged`: the condition of the update. */
type Recorded = {
  readonly isChanged: SQL | undefined;
  readonly origin: SettingsOrigin;
  readonly settings: ChangedSettings | null;
};

/**
 * Records a change of a project's settings with the values before and after it, and the event if a value differs. D1
 * compares them, so that a change needs no read before it, and no other request can change the row meanwhile.
 * @param to the new values, by the names of the columns; undefined: not changed
 */
export function settingWrites(
  rows: AccountRows,
  id: ProjectId,
  to: Readonly<Record<string, unknown>>,
  { isChanged, origin: { audit, eventId }, settings }: Recorded,
): SettingWrites {
  const ofProject = eq(projects.id, id);
  const one = sql`1`;
  const target = sql`json_object('type', 'project', 'id', ${id}, 'name', ${projects.name})`;
  const computed = new Map<SQLiteColumn, SQL>([
    [auditEntries.target, rows.first(target, projects, ofProject, one)],
    [auditEntries.changes, rows.first(differences(to, settings), projects, ofProject, one)],
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
function differences(to: Readonly<Record<string, unknown>>, settings: ChangedSettings | null): SQL {
  const compared = [comparedColumns(to), ...(settings === null ? [] : [comparedSettings(settings)])];
  const all = sql.join(compared, sql` union all `);
  return sql`(select nullif(json_group_object(name, json_object('before', json(before), 'after', json(after))), '{}') from (${all}))`;
}

/** Selects the names of columns that differ, and their values as JSON. */
function comparedColumns(to: Readonly<Record<string, unknown>>): SQL {
  const columns = new Map(Object.entries(getTableColumns(projects)));
  const compared = Object.entries(to).flatMap(([key, value]) => {
    const column = columns.get(key);
    if (column === undefined || value === undefined || DERIVED.includes(column.name)) return [];
    const after = value instanceof SQL || value === null ? value : column.mapToDriverValue(value);
    const isJson = column.dataType === "json";
    const jsonOf = (of: SQL) => maskedColumn(isJson ? of : sql`json_quote(${of})`, column.name);
    return [
      sql`(${sql.raw(`'${column.name}'`)}, ${column} is not ${after}, ${jsonOf(sql`${column}`)}, ${jsonOf(sql`${after}`)})`,
    ];
  });
  // Not a select for each, because D1 takes 5 in a compound one. The columns have their usual names because of the first row.
  const list = sql.join([sql`(null, 0, null, null)`, ...compared], sql`, `);
  return sql`select column1 as name, column3 as before, column4 as after from (values ${list}) where column2`;
}

/** Selects the names of stored settings that differ, and their values as JSON. */
function comparedSettings({ json, names }: ChangedSettings): SQL {
  const given = sql`json_each(${JSON.stringify(names)}) as given`;
  const values = sql`select given.value as name, ${projects.settings} -> given.value as before, changed.settings -> given.value as after from (select ${json} as settings) as changed cross join ${given}`;
  return sql`select name, ${shownSetting("before")} as before, ${shownSetting("after")} as after from (${values}) where before is not after`;
}

function maskedColumn(json: SQL, name: string): SQL {
  return WITH_SECRETS.includes(name) ? masked(json) : json;
}

function masked(json: SQL): SQL {
  return sql`case when instr(${json}, '?') or ${json} like '%http%@%' then '"***"' else ${json} end`;
}

function shownSetting(value: "before" | "after"): SQL {
  const json = sql.raw(value);
  return sql`case when name in (${texts(WITH_SECRETS)}) then ${masked(json)} when ${json} = 'null' and name in (${texts(shownEmpty)}) then '""' else ${json} end`;
}

const texts = (names: readonly string[]): SQL => sql.raw(names.map((name) => `'${name}'`).join(", "));
