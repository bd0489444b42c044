import { and, desc, eq, isNotNull, lte, type SQL, sql } from "drizzle-orm";

import type { ChangedBy } from "#contract/endpoints/variables/schemas.ts";
import type { EventId, ProjectId } from "#contract/ids.ts";
import { MAX_REMEMBERED } from "#domain/lane/lane.ts";
import type { StoredSecret } from "#domain/sealed-secret.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { changeWrites, computedEventWrites } from "#worker/db/changes/change-writes.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import { isOneOf } from "#worker/db/statements.ts";
import { deployments, isEnded, projects } from "#worker/db/schema.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import { variableRevisions, variables } from "#worker/db/variable-tables.ts";

/** How many revisions are kept in any case. */
const KEPT_REVISIONS = 100;

export type NewVariable =
  | { readonly name: string; readonly secret: false; readonly value: string }
  | { readonly name: string; readonly secret: true; readonly build: boolean; readonly sealed: StoredSecret };

/** A change of a project's variables. `revision`: the number that it takes, one above the current one. */
export type NewRevision = {
  readonly projectId: ProjectId;
  readonly revision: number;
  /** Unix milliseconds. */
  readonly changedAt: number;
  readonly changedBy: ChangedBy;
  readonly set: readonly NewVariable[];
  readonly removed: readonly string[];
  /** The id of its event. */
  readonly eventId: EventId;
  /** The entry of a request that changes only the variables. */
  readonly audit?: StoredEntry;
};

/**
 * The statements of a change, to run in one batch. The first one adds no row, and the others have no effect, if there is
 * no such project. The batch fails with an error for `isRevisionConflict` if another change has taken the number.
 * @param isThere another condition that the project must meet
 */
export function revisionWrites(rows: AccountRows, change: NewRevision, isThere?: SQL): Write[] {
  const { projectId, revision, changedAt, changedBy, set, removed } = change;
  const id = `${projectId}/${revision}`;
  const names = set.map(({ name }) => name);
  const isAdded = sql`${rows.count(variableRevisions, eq(variableRevisions.id, id))} = 1`;
  const project = and(eq(projects.id, projectId), isThere);
  const isReplaced = and(
    eq(variables.projectId, projectId),
    sql`${variables.until} is null`,
    isOneOf(variables.name, [...names, ...removed]),
    isAdded,
  );
  const shared = { projectId, revision, changedAt, changedBy };
  const added = set.map((variable) => ({
    ...shared,
    id: `${projectId}/${variable.name}/${revision}`,
    name: variable.name,
    until: null,
    secret: variable.secret,
    build: variable.secret && variable.build,
    value: variable.secret ? null : variable.value,
    sealed: variable.secret ? variable.sealed : null,
  }));
  const row = { id, ...shared, setNames: names, removedNames: [...removed] };
  return [
    rows.insert(variableRevisions, row, sql`${rows.count(projects, project)} = 1`),
    ...eventOf(rows, change, names),
    ...(change.audit === undefined ? [] : changeWrites(rows, { event: null, audit: change.audit })),
    rows.update(variables, { until: revision }, isReplaced),
    ...rows.insertEach(variables, added, isAdded),
    ...removalsBefore(rows, projectId, revision - KEPT_REVISIONS),
  ];
}

/** The event of a revision, with the project's name, which the caller may not know. */
function eventOf(rows: AccountRows, change: NewRevision, names: readonly string[]): Write[] {
  const { projectId, revision, changedAt: createdAt, changedBy, removed, eventId: id } = change;
  const name = rows.first<string>(projects.name, projects, eq(projects.id, projectId), sql`1`);
  const lists = sql`'set', json(${JSON.stringify(names)}), 'removed', json(${JSON.stringify(removed)})`;
  const project = sql`json_object('id', ${projectId}, 'name', ${name})`;
  const data = sql`json_object('project', ${project}, 'revision', ${revision}, ${lists})`;
  const actor = { id: null, ...changedBy };
  return computedEventWrites(rows, { id, projectId, type: "variables.updated", actor, createdAt }, data);
}

/** Whether a batch of `revisionWrites` failed because another change has taken the revision. */
export function isRevisionConflict(error: unknown): boolean {
  return uniqueViolation(error) === "variable_revisions.id";
}

/**
 * Deletes what no rollback can need: up to the last revision, and not used by a deployment that is or may go live, or
 * that the lane keeps as a rollback target.
 */
function removalsBefore(rows: AccountRows, projectId: ProjectId, last: number): Write[] {
  if (last < 1) return [];
  const { variablesRevision: used, version, status } = deployments;
  const ofProject = eq(deployments.projectId, projectId);
  // As the lane counts them (`discardable`).
  const wereLive = and(
    ofProject,
    isEnded(deployments),
    sql`${status} = 'superseded' and ${deployments.kind} <> 'config'`,
  );
  // Sorted by id, because an index has the deployments in this order.
  const newest = desc(deployments.id);
  const oldestTarget = rows.first<number>(version, deployments, wereLive, newest, MAX_REMEMBERED - 1);
  const isUsed = (from: typeof variables.revision | typeof variableRevisions.revision) => {
    const until = from === variables.revision ? variables.until : sql`${from} + 1`;
    const where = and(
      ofProject,
      isNotNull(used),
      sql`${used} >= ${from} and ${used} < ${until}`,
      sql`(${status} in ('live', 'building') or ${status} = 'superseded' and ${version} >= coalesce(${oldestTarget}, 0))`,
    );
    return sql`${rows.first(deployments.id, deployments, where, desc(used))} is not null`;
  };
  const oldValue = and(eq(variables.projectId, projectId), lte(variables.until, last + 1));
  const oldRevision = and(eq(variableRevisions.projectId, projectId), lte(variableRevisions.revision, last));
  return [
    rows.delete(variables, sql`${oldValue} and not (${isUsed(variables.revision)})`),
    rows.delete(variableRevisions, sql`${oldRevision} and not (${isUsed(variableRevisions.revision)})`),
  ];
}
