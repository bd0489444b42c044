import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { RequiredClaims, TrustProvider } from "#contract/endpoints/trust-rules/providers.ts";
import type { AccountId, ProjectId, TrustRuleId } from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";

// The tables of who may get a token. The rules of schema.ts apply.

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
