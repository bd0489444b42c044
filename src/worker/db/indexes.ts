import { sql } from "drizzle-orm";
import {
  index,
  type IndexBuilder,
  type SQLiteTable,
  type UniqueConstraintBuilder,
  unique,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

import * as schema from "#worker/db/schema.ts";
import * as eventTables from "#worker/db/event-tables.ts";
import * as pushTables from "#worker/db/push-tables.ts";
import * as variableTables from "#worker/db/variable-tables.ts";
import * as commandTable from "#worker/db/command-table.ts";

// The indexes of the tables. They have a file of their own because only the generator of migrations needs them: so they
// are not in the Worker's bundle.

const { isEnded } = schema;

type Indexes<Table> = (table: Table) => readonly (IndexBuilder | UniqueConstraintBuilder)[];

/** Does what the third parameter of `sqliteTable` does. */
function withIndexes<Table extends SQLiteTable>(table: Table, indexes: Indexes<Table>): Table {
  Reflect.set(table, Symbol.for("drizzle:ExtraConfigBuilder"), indexes);
  return table;
}

export const tokens = withIndexes(schema.tokens, (table) => [
  uniqueIndex("tokens_hash").on(table.hash),
  uniqueIndex("tokens_previous_hash").on(table.previousHash),
  index("tokens_account").on(table.accountId, table.id),
  index("tokens_sessions")
    .on(table.expiresAt)
    .where(sql`${table.kind} = 'session'`),
  // For the deletion of what has expired. Partial, so that other rows have no entry in them.
  index("tokens_revoked")
    .on(table.revokedAt)
    .where(sql`${table.revokedAt} is not null`),
  index("tokens_previous_expires")
    .on(table.previousExpiresAt)
    .where(sql`${table.previousExpiresAt} is not null`),
  index("tokens_valid")
    .on(table.accountId, table.id)
    .where(sql`${table.revokedAt} is null`),
]);

export const signInCodes = withIndexes(schema.signInCodes, (table) => [
  index("sign_in_codes_expires").on(table.expiresAt),
]);

export const servers = withIndexes(schema.servers, (table) => [
  unique("servers_name").on(table.accountId, table.name),
  index("servers_account").on(table.accountId, table.id),
  uniqueIndex("servers_credential").on(table.credentialHash),
  uniqueIndex("servers_enrollment").on(table.enrollmentHash),
  index("servers_enrollment_expires")
    .on(table.enrollmentExpiresAt)
    .where(sql`${table.enrollmentExpiresAt} is not null`),
]);

export const projects = withIndexes(schema.projects, (table) => [
  unique("projects_name").on(table.accountId, table.name),
  uniqueIndex("projects_domain").on(table.domain),
  index("projects_account").on(table.accountId, table.id),
  index("projects_server").on(table.accountId, table.serverId),
  index("projects_repository").on(table.accountId, table.repositoryKey),
  index("projects_maintenance")
    .on(table.accountId)
    .where(sql`${table.maintenance} is not null`),
]);

export const domains = withIndexes(schema.domains, (table) => [index("domains_project").on(table.projectId)]);

// The order matters: of two equally good indexes SQLite uses the one that was created last, which must be the partial one.
export const deployments = withIndexes(schema.deployments, (table) => [
  uniqueIndex("deployments_version").on(table.projectId, table.version),
  index("deployments_account").on(table.accountId, table.id),
  uniqueIndex("deployments_one_live")
    .on(table.projectId)
    .where(sql`${table.status} = 'live'`),
  index("deployments_building")
    .on(table.projectId, table.version)
    .where(sql`${table.status} = 'building'`),
  index("deployments_unended")
    .on(table.accountId, table.id)
    .where(sql`${table.status} in ('live', 'building')`),
  index("deployments_release")
    .on(table.projectId, table.release, table.version)
    .where(sql`${table.release} is not null`),
  index("deployments_variables")
    .on(table.projectId, table.variablesRevision)
    .where(sql`${table.variablesRevision} is not null`),
  // For the filters of lists. Only of ended deployments, whose rows hardly change: a change of a row costs a write for
  // each index that has it.
  index("deployments_ended_status").on(table.projectId, table.status, table.id).where(isEnded(table)),
  index("deployments_ended_branch").on(table.projectId, table.branch, table.id).where(isEnded(table)),
  index("deployments_ended_server").on(table.projectId, table.serverId, table.id).where(isEnded(table)),
  index("deployments_ended_commit").on(table.accountId, table.commitSha, table.id).where(isEnded(table)),
]);

export const idempotencyKeys = withIndexes(schema.idempotencyKeys, (table) => [
  index("idempotency_keys_created").on(table.createdAt),
  index("idempotency_keys_account").on(table.accountId, table.createdAt),
]);

export const events = withIndexes(eventTables.events, (table) => [
  uniqueIndex("events_sequence").on(table.accountId, table.sequence),
  index("events_type").on(table.accountId, table.type, table.sequence),
  index("events_project").on(table.projectId, table.sequence),
  index("events_created").on(table.createdAt),
  index("events_project_type").on(table.projectId, table.type, table.sequence),
]);

export const auditEntries = withIndexes(eventTables.auditEntries, (table) => [
  uniqueIndex("audit_entries_sequence").on(table.accountId, table.sequence),
  index("audit_entries_project").on(table.projectId, table.sequence),
  index("audit_entries_action").on(table.accountId, table.action, table.sequence),
  index("audit_entries_outcome").on(table.accountId, table.outcome, table.sequence),
  index("audit_entries_actor").on(table.accountId, sql`"actor" ->> 'id'`, table.sequence),
  index("audit_entries_target").on(table.accountId, sql`"target" ->> 'id'`, table.sequence),
  index("audit_entries_created").on(table.createdAt),
  index("audit_entries_project_action").on(table.projectId, table.action, table.sequence),
  index("audit_entries_project_outcome").on(table.projectId, table.outcome, table.sequence),
  index("audit_entries_project_actor").on(table.projectId, sql`"actor" ->> 'id'`, table.sequence),
  index("audit_entries_project_target").on(table.projectId, sql`"target" ->> 'id'`, table.sequence),
]);

export const auditSeals = withIndexes(eventTables.auditSeals, (table) => [
  uniqueIndex("audit_seals_number").on(table.accountId, table.number),
  index("audit_seals_last_entry").on(table.accountId, table.lastEntry),
]);

export const webhooks = withIndexes(eventTables.webhooks, (table) => [
  index("webhooks_account").on(table.accountId, table.id),
]);

export const hooks = withIndexes(pushTables.hooks, (table) => [
  unique("hooks_repository").on(table.accountId, table.repositoryKey),
  index("hooks_account").on(table.accountId, table.id),
  index("hooks_previous_expires")
    .on(table.previousExpiresAt)
    .where(sql`${table.previousExpiresAt} is not null`),
]);

export const pushes = withIndexes(pushTables.pushes, (table) => [
  index("pushes_hook").on(table.hookId, table.id),
  index("pushes_body").on(table.hookId, table.bodyHash),
  index("pushes_project").on(table.projectId, table.id),
  index("pushes_account").on(table.accountId, table.id),
  index("pushes_received").on(table.receivedAt),
  index("pushes_ref").on(table.projectId, table.ref, table.id),
  index("pushes_counted")
    .on(table.hookId, table.receivedAt)
    .where(sql`${table.projectId} is null`),
  index("pushes_skipped")
    .on(table.projectId, table.liveSha, table.after)
    .where(sql`${table.liveSha} is not null`),
  index("pushes_unread")
    .on(table.projectId, table.id)
    .where(sql`${table.reason} = 'repository_unread'`),
]);

export const freezes = withIndexes(pushTables.freezes, (table) => [
  index("freezes_account").on(table.accountId, table.id),
]);

export const variableRevisions = withIndexes(variableTables.variableRevisions, (table) => [
  index("variable_revisions_project").on(table.projectId, table.revision),
]);

export const variables = withIndexes(variableTables.variables, (table) => [
  index("variables_project").on(table.projectId, table.until),
  uniqueIndex("variables_current")
    .on(table.projectId, table.name)
    .where(sql`${table.until} is null`),
]);

export const commands = withIndexes(commandTable.commands, (table) => [
  index("commands_project").on(table.projectId, table.id),
]);

// Without indexes.
export const { accounts, removedProjects, sweeps } = schema;
