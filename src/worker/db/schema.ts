import { type SQL, sql } from "drizzle-orm";
import {
  index,
  integer,
  real,
  type SQLiteColumn,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

import { DEFAULT_LOG_RETENTION_DAYS } from "#contract/endpoints/accounts/schemas.ts";
import type {
  Actor,
  DeploymentChange,
  DeploymentKind,
  DeploymentBuild,
  DeploymentRun,
  DeploymentStage,
  DeploymentStatus,
  DeploymentTrigger,
  Hold,
  DeploymentFailure,
  LiveEvidence,
  StageTime,
} from "#contract/endpoints/deployments/schemas.ts";
import type { ProjectSettings } from "#contract/endpoints/projects/project-settings.ts";
import type { Region } from "#contract/regions.ts";
import type {
  AccountId,
  ConnectionId,
  DeploymentId,
  MemberId,
  ProjectId,
  ServerId,
  TokenId,
  TrustRuleId,
} from "#contract/ids.ts";
import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import type { ProcessReport } from "#contract/endpoints/processes/schemas.ts";
import type { HealthReason } from "#contract/endpoints/projects/health.ts";
import type { DetectedPreset } from "#contract/endpoints/projects/detected-preset.ts";
import type {
  Containers,
  IsolationLevel,
  PolicyLevel,
  ProjectImages,
  ToolReport,
} from "#contract/endpoints/servers/schemas.ts";
import type { Scope } from "#contract/scopes.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { FleetReport } from "#contract/agent-fleet.ts";
import type { FleetSet } from "#domain/fleet/fleet-state.ts";
import type { DrainState } from "#contract/endpoints/servers/drain.ts";
import type { MaintenanceState } from "#contract/endpoints/traffic/schemas.ts";
import type { TokenPurpose } from "#contract/endpoints/tokens/schemas.ts";
import type { Growing } from "#contract/growing.ts";

// Times are Unix milliseconds. Every table except `accounts` and `sweeps` has an account_id. Requests read and write
// these tables only through AccountRows, so no query can omit the account.

export const accounts = sqliteTable("accounts", {
  id: text("id").$type<AccountId>().primaryKey(),
  name: text("name").notNull(),
  createdAt: integer("created_at").notNull(),
  logRetentionDays: integer("log_retention_days").notNull().default(DEFAULT_LOG_RETENTION_DAYS),
  /** How many days after their end deployments are kept; null: forever. */
  deploymentRetentionDays: integer("deployment_retention_days"),
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
    /** The projects that the token is limited to; null: no limit. */
    projectIds: text("project_ids", { mode: "json" }).$type<ProjectId[]>(),
    createdAt: integer("created_at").notNull(),
    /** When the secret was last rotated; null: never. */
    rotatedAt: integer("rotated_at"),
    expiresAt: integer("expires_at").notNull(),
    /** The hash of the secret before the last rotation, and when that secret stops working. */
    previousHash: text("previous_hash"),
    previousExpiresAt: integer("previous_expires_at"),
    revokedAt: integer("revoked_at"),
    /** Rounded down to the hour. */
    lastUsedAt: integer("last_used_at"),
    /** The rule by which a job got the token; null: no job did. */
    trustRuleId: text("trust_rule_id").$type<TrustRuleId>(),
    /** Whose session or personal token it is; null: a service token, a job's, or the session of a sign-in link that is nobody's. */
    memberId: text("member_id").$type<MemberId>(),
    /** The member who created a service token, or who last rotated it and so has its secret; null: not known. */
    createdBy: text("created_by").$type<MemberId>(),
    /** The same for the secret before the last rotation. */
    previousCreatedBy: text("previous_created_by").$type<MemberId>(),
    /** When the member of a session last used a passkey in it, or signed in by a provider; null: never. */
    authenticatedAt: integer("authenticated_at"),
    /** The connection by which they did; null: a passkey, or never. */
    connectionId: text("connection_id").$type<ConnectionId>(),
  },
  (table) => [
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
    index("tokens_trust_rule")
      .on(table.trustRuleId)
      .where(sql`${table.trustRuleId} is not null`),
    index("tokens_member")
      .on(table.memberId, table.id)
      .where(sql`${table.memberId} is not null`),
    index("tokens_created_by")
      .on(table.createdBy)
      .where(sql`${table.createdBy} is not null`),
    index("tokens_connection")
      .on(table.connectionId)
      .where(sql`${table.connectionId} is not null`),
    index("tokens_exchanged")
      .on(table.expiresAt)
      .where(sql`${table.kind} = 'exchange'`),
  ],
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
    /** When the agent connected for the first time; null: never. */
    firstConnectedAt: integer("first_connected_at"),
    /** When the agent connected; null while it is not connected. */
    connectedAt: integer("connected_at"),
    lastSeenAt: integer("last_seen_at"),
    /** Connected milliseconds per UTC day (days since 1970) of the last 30 days, for the uptime. */
    connectedMsByDay: text("connected_ms_by_day", { mode: "json" }).$type<Record<string, number>>().notNull(),
    agentVersion: text("agent_version"),
    /** The protocol of an agent that was refused for it, and when; null after an agent with the right protocol connected. */
    agentMismatch: text("agent_mismatch", { mode: "json" }).$type<{ protocol: number; at: number }>(),
    diskTotalBytes: real("disk_total_bytes"),
    diskFreeBytes: real("disk_free_bytes"),
    /** Null: the agent does not report them. */
    diskCacheBytes: real("disk_cache_bytes"),
    diskImageBytes: real("disk_image_bytes"),
    /** Of each project. */
    diskImages: text("disk_images", { mode: "json" }).$type<ProjectImages[]>(),
    /** What the agent's last status reported of its projects, as a hash; null: not all of it is in `projects`. */
    reportsDigest: text("reports_digest"),
    /** Since when the status has had this hash, and when the agent reported it last. */
    reportsSince: integer("reports_since"),
    reportsCheckedAt: integer("reports_checked_at"),
    /** The key for which secrets are sealed, from the agent's last hello; null: the agent has none. */
    sealKey: text("seal_key", { mode: "json" }).$type<SealKey>(),
    /** Whether projects run as users of their own; null: unknown. */
    isolation: text("isolation").$type<Growing<IsolationLevel>>(),
    /** How far the policy lets the control plane run commands of its own; null: unknown. */
    policy: text("policy").$type<Growing<PolicyLevel>>(),
    /** The programs for builds; null: unknown. */
    tools: text("tools", { mode: "json" }).$type<ToolReport[]>(),
    /** What makes containers; null: unknown. */
    containers: text("containers", { mode: "json" }).$type<Containers>(),
    /** What its agent can do (`capabilities` of its last hello); null: unknown. */
    capabilities: text("capabilities", { mode: "json" }).$type<string[]>(),
    /** Why the ingress as a whole does not work, from the agent's last report. */
    ingressProblem: text("ingress_problem"),
    /** Where its objects are created; null: `detectedRegion` applies. */
    region: text("region").$type<Region>(),
    /** Where its agent connected from last; null: unknown. */
    detectedRegion: text("detected_region").$type<Region>(),
    /** When an agent that was running lost its link to another one with the same credential; null: never. */
    takenOverAt: integer("taken_over_at"),
    /** Null: it was never drained. */
    drain: text("drain", { mode: "json" }).$type<DrainState>(),
    /** Where balancers reach it; null: at the address that its agent reports. */
    address: text("address"),
    /** How other servers reach its ingress, from its agent's last report; null: not known. */
    fleet: text("fleet", { mode: "json" }).$type<FleetReport>(),
    /** What its agent was sent about other servers, and what it did with it; null: nothing was sent. */
    fleetSet: text("fleet_set", { mode: "json" }).$type<FleetSet>(),
    /** SHA-256 in hex, like the hashes of tokens. */
    credentialHash: text("credential_hash"),
    enrollmentHash: text("enrollment_hash"),
    enrollmentExpiresAt: integer("enrollment_expires_at"),
    /** The API token that created the enrolment token. */
    enrollmentMadeBy: text("enrollment_made_by").$type<TokenId>(),
  },
  (table) => [
    unique("servers_name").on(table.accountId, table.name),
    index("servers_account").on(table.accountId, table.id),
    uniqueIndex("servers_credential").on(table.credentialHash),
    uniqueIndex("servers_enrollment").on(table.enrollmentHash),
    index("servers_enrollment_expires")
      .on(table.enrollmentExpiresAt)
      .where(sql`${table.enrollmentExpiresAt} is not null`),
  ],
);

/** The settings without a column of their own. Others have one, because they are searched, joined or unique. */
export type StoredSettings = Omit<ProjectSettings, "name" | "domain" | "server_id" | "repository" | "branch">;

/**
 * Whether visitors do not reach the servers of a project directly (`entry`). It is written here as in the index, so that
 * SQLite uses that.
 */
export function isFronted({ settings }: { readonly settings: SQLiteColumn }): SQL {
  return sql`${settings} ->> '$.entry.type' <> 'each'`;
}

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
    /** The other settings. `settingsOf` reads them. Each alias, and `domain`, has a row in `domains`. */
    settings: text("settings", { mode: "json" }).$type<StoredSettings>().notNull(),
    /** The repository's address in a form that all its addresses share. */
    repositoryKey: text("repository_key").notNull(),
    /** The `repositoryKey` of the repository that the project's server has read last; null: of none. */
    readRepository: text("read_repository"),
    /** Null: it was never turned on. */
    maintenance: text("maintenance", { mode: "json" }).$type<MaintenanceState>(),
    createdAt: integer("created_at").notNull(),
    lastDeployAt: integer("last_deploy_at"),
    /** The settings of the framework that the latest deployment detected or was given. */
    detected: text("detected", { mode: "json" }).$type<DetectedPreset>(),
    /** The site's URL, if the agent serves it. */
    url: text("url"),
    /** The release that `current` pointed to in the agent's last report, and when it reported it. */
    servingRelease: integer("serving_release"),
    servingCheckedAt: integer("serving_checked_at"),
    /** What ran at that time, without what changes all the time (`kept-report.ts`); null: nothing that Gantry started. */
    reportedProcesses: text("reported_processes", { mode: "json" }).$type<ProcessReport[]>(),
    /** Why the ingress did not serve the project as it should. */
    ingressProblem: text("ingress_problem"),
    /** What did not work of the project; null: not known. */
    health: text("health", { mode: "json" }).$type<HealthReason[]>(),
    /** The public half of the deploy key that the project's server has made; null until it has reported it. */
    deployKey: text("deploy_key", { mode: "json" }).$type<DeployKeySummary>(),
  },
  (table) => [
    unique("projects_name").on(table.accountId, table.name),
    uniqueIndex("projects_domain").on(table.domain),
    index("projects_account").on(table.accountId, table.id),
    index("projects_server").on(table.accountId, table.serverId),
    index("projects_repository").on(table.accountId, table.repositoryKey),
    index("projects_fronted").on(table.accountId).where(isFronted(table)),
    index("projects_maintenance")
      .on(table.accountId)
      .where(sql`${table.maintenance} is not null`),
  ],
);

/**
 * Whether a deployment has ended and is not live. The statuses stand in the statement, not in parameters: only then does
 * SQLite use the partial indexes with this condition.
 */
export function isEnded({ status }: { readonly status: SQLiteColumn }): SQL {
  return sql`${status} in ('superseded', 'failed', 'canceled')`;
}

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
    /** True while the deployment is next in the queue and waits only for its server. */
    waitsForServer: integer("waits_for_server", { mode: "boolean" }).notNull(),
    branch: text("branch").notNull(),
    commitSha: text("commit_sha"),
    /** The commit as written in the request; null: the request named none. */
    requestedCommit: text("requested_commit"),
    commitMessage: text("commit_message"),
    trigger: text("trigger").$type<DeploymentTrigger>().notNull(),
    actor: text("actor", { mode: "json" }).$type<Actor>().notNull(),
    createdAt: integer("created_at").notNull(),
    startedAt: integer("started_at"),
    finishedAt: integer("finished_at"),
    deadlineAt: integer("deadline_at"),
    failure: text("failure", { mode: "json" }).$type<DeploymentFailure>(),
    evidence: text("evidence", { mode: "json" }).$type<LiveEvidence>(),
    /** How long the stages took; null until the agent has reported it. */
    stages: text("stages", { mode: "json" }).$type<StageTime[]>(),
    /** The release folder that the deployment put live; null if it was never live. */
    release: integer("release"),
    releaseKept: integer("release_kept", { mode: "boolean" }).notNull(),
    /** The revision of the project's variables that the deployment runs with; null: there were none. */
    variablesRevision: integer("variables_revision"),
    clearCache: integer("clear_cache", { mode: "boolean" }).notNull().default(false),
    /** The commit of the push that started it; null: no push did. */
    pushedSha: text("pushed_sha"),
    /** What it waits for before it may be offered; null: for nothing but its turn. */
    hold: text("hold", { mode: "json" }).$type<Hold>(),
    /** Who approved it; null: nobody had to, or nobody has yet. */
    approvedBy: text("approved_by", { mode: "json" }).$type<Actor>(),
    /** Why it passes freezes and approvals; null: it does not. */
    emergency: text("emergency"),
    /** What a `config` deployment changes; null: it is of another kind, or not known. */
    changes: text("changes", { mode: "json" }).$type<DeploymentChange[]>(),
    /** What each server did for it; null: only `serverId` has carried it out, or will. */
    runs: text("runs", { mode: "json" }).$type<DeploymentRun[]>(),
    /** The build that its servers take; null: each builds for itself. */
    build: text("build", { mode: "json" }).$type<DeploymentBuild>(),
    /** Rises with each change of the lane. An older revision never overwrites a newer one. */
    revision: integer("revision").notNull(),
  },
  (table) => [
    // The order matters: of two equally good indexes SQLite uses the newer index, which must be the partial one.

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
  ],
);

/** Requests with an Idempotency-Key, kept for a day. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    /** SHA-256 of the token's id and the key, in hex. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    /** SHA-256 of the request's content, in hex. */
    fingerprint: text("fingerprint").notNull(),
    /** The seed of ids and secrets, so that a retry creates the same ones. */
    seed: text("seed").notNull(),
    createdAt: integer("created_at").notNull(),
    /** The response, encrypted because it may contain a secret; null until the first success. */
    answer: text("answer"),
  },
  (table) => [
    index("idempotency_keys_created").on(table.createdAt),
    index("idempotency_keys_account").on(table.accountId, table.createdAt),
  ],
);

/** How far the parts of the schedule are. */
export const sweeps = sqliteTable("sweeps", {
  name: text("name").primaryKey(),
  /** The part's round (`schedule/rounds.ts`). */
  position: text("position").notNull(),
});
