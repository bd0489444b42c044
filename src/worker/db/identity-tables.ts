import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { ConnectionKind } from "#contract/endpoints/connections/reference.ts";
import type { JoinPolicy } from "#contract/endpoints/connections/schemas.ts";
import type { RequiredClaims, TrustProvider } from "#contract/endpoints/trust-rules/providers.ts";
import type { MemberReference } from "#contract/endpoints/members/reference.ts";
import type {
  AccountId,
  ConnectionId,
  IdentityId,
  InvitationId,
  MemberId,
  PasskeyId,
  ProjectId,
  TrustRuleId,
} from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";
import type { Grant } from "#domain/members/member-permissions.ts";
import type { GroupGrants } from "#domain/sign-in/decide-sign-in.ts";
import type { PasskeyAlgorithm, PasskeyKey } from "#worker/identity/passkeys/passkey-key.ts";

// The tables of who may get a token, and of the people of an account. The rules of schema.ts apply.

/** Which identity tokens of jobs are exchanged for tokens of the account. */
export const trustRules = sqliteTable(
  "trust_rules",
  {
    id: text("id").$type<TrustRuleId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    name: text("name").notNull(),
    provider: text("provider").$type<TrustProvider>().notNull(),
    issuer: text("issuer").notNull(),
    /** The value of the provider's subject claim (`trustProviders`). */
    subject: text("subject").notNull(),
    audience: text("audience").notNull(),
    claims: text("claims", { mode: "json" }).$type<RequiredClaims>().notNull(),
    scopes: text("scopes", { mode: "json" }).$type<Scope[]>().notNull(),
    /** The projects that its tokens are limited to; null: no limit. */
    projectIds: text("project_ids", { mode: "json" }).$type<ProjectId[]>(),
    lifetimeMinutes: integer("lifetime_minutes").notNull(),
    createdAt: integer("created_at").notNull(),
    /** The member who created the rule; null: a service token that no member created. */
    createdBy: text("created_by").$type<MemberId>(),
    /** When a job last got a token by it; null: never. */
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    index("trust_rules_account").on(table.accountId, table.id),
    index("trust_rules_subject").on(table.issuer, table.subject),
  ],
);

/** Single-use secrets that were used. A row is deleted when its secret has expired. */
export const usedSecrets = sqliteTable(
  "used_secrets",
  {
    /** SHA-256 in hex of the issuer of the secret and of its id, or of the secret itself. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("used_secrets_expires").on(table.expiresAt)],
);

/** The people of an account. */
export const members = sqliteTable(
  "members",
  {
    id: text("id").$type<MemberId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    name: text("name").notNull(),
    /** In lower case; null: not known. */
    email: text("email"),
    isOwner: integer("is_owner", { mode: "boolean" }).notNull(),
    grants: text("grants", { mode: "json" }).$type<readonly Grant[]>().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    index("members_account").on(table.accountId, table.id),
    uniqueIndex("members_email")
      .on(table.accountId, table.email)
      .where(sql`${table.email} is not null`),
    index("members_owners")
      .on(table.accountId)
      .where(sql`${table.isOwner} = 1`),
  ],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    id: text("id").$type<PasskeyId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    memberId: text("member_id").$type<MemberId>().notNull(),
    /** The id that the authenticator gave it, in base64url. */
    credentialId: text("credential_id").notNull(),
    /** The host name that it was made for. */
    rpId: text("rp_id").notNull(),
    name: text("name").notNull(),
    algorithm: integer("algorithm").$type<PasskeyAlgorithm>().notNull(),
    jwk: text("jwk", { mode: "json" }).$type<PasskeyKey["jwk"]>().notNull(),
    signCount: integer("sign_count").notNull(),
    isBackupEligible: integer("is_backup_eligible", { mode: "boolean" }).notNull(),
    isBackedUp: integer("is_backed_up", { mode: "boolean" }).notNull(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    uniqueIndex("passkeys_credential").on(table.credentialId),
    index("passkeys_member").on(table.memberId, table.id),
  ],
);

/** Each works once. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    /** SHA-256 of the whole code, in hex. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    memberId: text("member_id").$type<MemberId>().notNull(),
  },
  (table) => [index("recovery_codes_member").on(table.memberId)],
);

/** Invitations that nobody has accepted. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: text("id").$type<InvitationId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    /** SHA-256 of the code in the link, in hex. */
    hash: text("hash").notNull(),
    email: text("email"),
    grants: text("grants", { mode: "json" }).$type<readonly Grant[]>().notNull(),
    invitedBy: text("invited_by", { mode: "json" }).$type<MemberReference>(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("invitations_hash").on(table.hash),
    index("invitations_account").on(table.accountId, table.id),
    index("invitations_expires").on(table.expiresAt),
  ],
);

/** Providers by which people sign in. */
export const connections = sqliteTable(
  "connections",
  {
    id: text("id").$type<ConnectionId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    kind: text("kind").$type<ConnectionKind>().notNull(),
    name: text("name").notNull(),
    /** As the provider writes it. */
    issuer: text("issuer").notNull(),
    clientId: text("client_id").notNull(),
    /** null: a public client. Never answered. */
    clientSecret: text("client_secret"),
    scopes: text("scopes", { mode: "json" }).$type<readonly string[]>().notNull(),
    groupsClaim: text("groups_claim").notNull(),
    groupGrants: text("group_grants", { mode: "json" }).$type<readonly GroupGrants[]>().notNull(),
    syncGrants: integer("sync_grants", { mode: "boolean" }).notNull(),
    joinPolicy: text("join_policy").$type<JoinPolicy>().notNull(),
    domains: text("domains", { mode: "json" }).$type<readonly string[]>().notNull(),
    joinGrants: text("join_grants", { mode: "json" }).$type<readonly Grant[]>().notNull(),
    isForced: integer("is_forced", { mode: "boolean" }).notNull(),
    sessionHours: integer("session_hours").notNull(),
    /** How long personal tokens work after their member's last sign-in; null: until they expire. */
    tokenDays: integer("token_days").default(30),
    createdAt: integer("created_at").notNull(),
    /** The last sign-in; null: none. */
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    index("connections_account").on(table.accountId, table.id),
    index("connections_forced")
      .on(table.accountId)
      .where(sql`${table.isForced} = 1`),
  ],
);

/** What providers call members. */
export const identities = sqliteTable(
  "identities",
  {
    id: text("id").$type<IdentityId>().primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    connectionId: text("connection_id").$type<ConnectionId>().notNull(),
    /** `sub`, or the number of an account at GitHub. Never an e-mail address. */
    subject: text("subject").notNull(),
    memberId: text("member_id").$type<MemberId>().notNull(),
    /** The address or login at the last sign-in, for people; null: the provider gave none. */
    name: text("name"),
    createdAt: integer("created_at").notNull(),
    /** The last sign-in; null: none yet. */
    lastUsedAt: integer("last_used_at"),
  },
  (table) => [
    uniqueIndex("identities_subject").on(table.connectionId, table.subject),
    index("identities_member").on(table.memberId, table.id),
  ],
);

/** Tokens that members allow commands to take. A row is deleted when its command takes the token, or when it has expired. */
export const connectGrants = sqliteTable(
  "connect_grants",
  {
    /** The challenge of the command: SHA-256 of its verifier, in base64url. */
    id: text("id").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    memberId: text("member_id").$type<MemberId>().notNull(),
    /** SHA-256 of what the command must send besides its verifier, in base64url; null: nothing. */
    proofChallenge: text("proof_challenge"),
    name: text("name").notNull(),
    scopes: text("scopes", { mode: "json" }).$type<Scope[]>().notNull(),
    projectIds: text("project_ids", { mode: "json" }).$type<ProjectId[]>(),
    /** The lifetime of the token, from when it is taken. */
    lifetimeDays: integer("lifetime_days").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("connect_grants_member").on(table.memberId),
    index("connect_grants_expires").on(table.expiresAt),
  ],
);

/** Random secrets of the installation, each made when it is first needed. */
export const installationKeys = sqliteTable("installation_keys", {
  name: text("name").$type<"challenges">().primaryKey(),
  /** 32 bytes in base64url. */
  secret: text("secret").notNull(),
});

/** The codes of sign-in links. Each works once, for ten minutes. Created by an operator with access to the database. */
export const signInCodes = sqliteTable(
  "sign_in_codes",
  {
    /** SHA-256 of the whole code, in hex. */
    hash: text("hash").primaryKey(),
    accountId: text("account_id").$type<AccountId>().notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** Whose session it gives; null: a session that is nobody's. */
    memberId: text("member_id").$type<MemberId>(),
  },
  (table) => [index("sign_in_codes_expires").on(table.expiresAt)],
);
