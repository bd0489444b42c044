import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text, unique, uniqueIndex } from "drizzle-orm/sqlite-core";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import type {
  Actor,
  DeploymentKind,
  DeploymentStage,
  DeploymentStatus,
  Failure,
  LiveEvidence,
} from "#contract/endpoints/deployments/schemas.ts";
import type { AccountId, DeploymentId, ProjectId, ServerId, TokenId } from "#contract/ids.ts";
import type {
  CommitRule,
  HealthCheck,
  Preset,
  QueueMode,
  Timeouts,
} from "#contract/endpoints/projects/schemas.ts";
import type { Scope } from "#contract/scopes.ts";
import type { TokenPurpose } from "#contract/endpoints/tokens/schemas.ts";

// Times are Unix milliseconds. Every table but `accounts` and `sweeps` has an account_id, and only AccountRows reads and writes
// those tables for a request, so no query can forget whose rows they are.

export const accounts = sqliteTable("accounts", {
  id: text("id").$type<AccountId>().primaryKey(),
  name: text("name").notNull(),
  createdAt: integer("created_at").notNull(),
  logRetentionDays: integer("log_retention_days").notNull().default(DEFAULT_LOG_RETENTION_DAYS),
});

export const tokens = sqliteTable(
  "tokens",
  {
    id: text("id").$type<TokenId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    kind: text("kind").$type<TokenPurpose>().notNull().default("token"),
    name: text("name").notNull(),
    /** SHA-256 of the whole token, in hex. */
    hash: text("hash").notNull(),
    scopes: text("scopes", { mode: "json" }).$type<Scope[]>().notNull(),
    /** The projects that the token is limited to; null: all of the account. */
    projectIds: text("project_ids", { mode: "json" }).$type<ProjectId[]>(),
    createdAt: integer("created_at").notNull(),
    /** Since when its secret has been what it is, if not from the beginning. */
    rotatedAt: integer("rotated_at"),
    expiresAt: integer("expires_at").notNull(),
    /** The secret from before the last rotation, as in `hash`, and when it stops working. */
    previousHash: text("previous_hash"),
    previousExpiresAt: integer("previous_expires_at"),
    revokedAt: integer("revoked_at"),
    /** To the hour. */
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    uniqueIndex("tokens_hash").on(table.hash),
    uniqueIndex("tokens_previous_hash").on(table.previousHash),
    index("tokens_account").on(table.accountId, table.id),
    index("tokens_sessions")
      .on(table.expiresAt)
      .where(sql`${table.kind} = 'session'`),
  ],
);

/** What sign-in links are good for: each once, for ten minutes. Made beside the Worker, by who can write to the database. */
export const signInCodes = sqliteTable(
  "sign_in_codes",
  {
    /** SHA-256 of the whole code, in hex. */
    hash: text("hash").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("sign_in_codes_expires").on(table.expiresAt)],
);

export const servers = sqliteTable(
  "servers",
  {
    id: text("id").$type<ServerId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    name: text("name").notNull(),
    ip: text("ip").notNull(),
    createdAt: integer("created_at").notNull(),
    enrolledAt: integer("enrolled_at"),
    /** Since when the agent has been connected; null while it is not. */
    connectedAt: integer("connected_at"),
    lastSeenAt: integer("last_seen_at"),
    /** Connected milliseconds by UTC day (days since 1970), the last 30 of them: what uptime is counted from. */
    connectedMsByDay: text("connected_ms_by_day", { mode: "json" }).$type<Record<string, number>>().notNull(),
    agentVersion: text("agent_version"),
    /** The protocol of an agent that was not let in for it, and when; null once one is. */
    agentMismatch: text("agent_mismatch", { mode: "json" }).$type<{ protocol: number; at: number }>(),
    diskTotalBytes: real("disk_total_bytes"),
    diskFreeBytes: real("disk_free_bytes"),
    /** SHA-256 in hex, as for tokens. */
    credentialHash: text("credential_hash"),
    enrollmentHash: text("enrollment_hash"),
    enrollmentExpiresAt: integer("enrollment_expires_at"),
    /** The token that made the enrolment. */
    enrollmentMadeBy: text("enrollment_made_by").$type<TokenId>(),
  },
  (table) => [
    unique("servers_name").on(table.accountId, table.name),
    index("servers_account").on(table.accountId, table.id),
    uniqueIndex("servers_credential").on(table.credentialHash),
    uniqueIndex("servers_enrollment").on(table.enrollmentHash),
  ],
);

export const projects = sqliteTable(
  "projects",
  {
    id: text("id").$type<ProjectId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    serverId: text("server_id").$type<ServerId>().notNull(),
    name: text("name").notNull(),
    domain: text("domain").notNull(),
    repository: text("repository").notNull(),
    branch: text("branch").notNull(),
    commits: text("commits").$type<CommitRule>().notNull().default("reachable"),
    /** Null: as the agent finds it. Of this and the two below, build-columns.ts knows more. */
    framework: text("framework"),
    rootDirectory: text("root_directory").notNull(),
    buildCommand: text("build_command"),
    outputDirectory: text("output_directory"),
    activateCommand: text("activate_command"),
    sharedPaths: text("shared_paths", { mode: "json" }).$type<string[]>().notNull(),
    keepReleases: integer("keep_releases").notNull(),
    healthCheck: text("health_check", { mode: "json" }).$type<HealthCheck>(),
    timeouts: text("timeouts", { mode: "json" }).$type<Timeouts>().notNull(),
    queue: text("queue").$type<QueueMode>().notNull(),
    createdAt: integer("created_at").notNull(),
    lastDeployAt: integer("last_deploy_at"),
    /** What the framework that the latest deployment found, or was given, says of its files. */
    detected: text("detected", { mode: "json" }).$type<Preset>(),
    /** Where the agent serves the site, if it does. */
    url: text("url"),
    /** The release that the agent last said `current` points to, when it said so, and what it should have been. */
    servingRelease: integer("serving_release"),
    servingCheckedAt: integer("serving_checked_at"),
  },
  (table) => [
    unique("projects_name").on(table.accountId, table.name),
    uniqueIndex("projects_domain").on(table.domain),
    index("projects_account").on(table.accountId, table.id),
    index("projects_server").on(table.accountId, table.serverId),
  ],
);

export const deployments = sqliteTable(
  "deployments",
  {
    id: text("id").$type<DeploymentId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    projectId: text("project_id").$type<ProjectId>().notNull(),
    serverId: text("server_id").$type<ServerId>().notNull(),
    version: integer("version").notNull(),
    kind: text("kind").$type<DeploymentKind>().notNull(),
    rollbackOf: text("rollback_of").$type<DeploymentId>(),
    status: text("status").$type<DeploymentStatus>().notNull(),
    stage: text("stage").$type<DeploymentStage>(),
    /** True while the deployment is next in line and only its server keeps it waiting. */
    waitsForServer: integer("waits_for_server", { mode: "boolean" }).notNull(),
    branch: text("branch").notNull(),
    commitSha: text("commit_sha"),
    commitMessage: text("commit_message"),
    trigger: text("trigger").$type<"api">().notNull(),
    actor: text("actor", { mode: "json" }).$type<Actor>().notNull(),
    createdAt: integer("created_at").notNull(),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    deadlineAt: integer("deadline_at"),
    failure: text("failure", { mode: "json" }).$type<Failure>(),
    evidence: text("evidence", { mode: "json" }).$type<LiveEvidence>(),
    /** The release folder that it put live; null if it never was. */
    release: integer("release"),
    releaseKept: integer("release_kept", { mode: "boolean" }).notNull(),
    /** Rises with each change that the lane makes; an older write never overwrites a newer one. */
    revision: integer("revision").notNull(),
  },
  // In this order: of two indexes that fit a query as well, SQLite takes the one made last, and that must be the partial one.
  (table) => [
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
  ],
);

/** What was asked for with an Idempotency-Key, for a day. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    /** SHA-256 of the token's id and the key, in hex. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    /** SHA-256 of the whole request, in hex. */
    fingerprint: text("fingerprint").notNull(),
    /** What ids and secrets are made of, so that a second try makes the same ones. */
    seed: text("seed").notNull(),
    createdAt: integer("created_at").notNull(),
    /** The answer, encrypted, for it may hold a secret; null until there is one. */
    answer: text("answer"),
  },
  (table) => [index("idempotency_keys_created").on(table.createdAt)],
);

/** How far each of the scheduled sweeps has come. */
export const sweeps = sqliteTable("sweeps", {
  name: text("name").$type<SweepName>().primaryKey(),
  /** Where the next run goes on; what it means is the sweep's own business. */
  position: text("position").notNull(),
});
export type SweepName = "logs" | "lanes";
