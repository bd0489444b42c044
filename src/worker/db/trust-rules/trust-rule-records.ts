import { and, eq, isNull, type SQL, sql } from "drizzle-orm";

import { MAX_TRUST_RULES } from "#contract/endpoints/trust-rules/schemas.ts";
import type { ProjectId, TrustRuleId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { trustRules } from "#worker/db/identity-tables.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/list-projects.ts";
import type { Position } from "#worker/db/reads.ts";
import { tokens } from "#worker/db/schema.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** The fields of a TrustRuleReading. */
export const trustRuleFields = {
  id: trustRules.id,
  name: trustRules.name,
  provider: trustRules.provider,
  issuer: trustRules.issuer,
  subject: trustRules.subject,
  audience: trustRules.audience,
  claims: trustRules.claims,
  scopes: trustRules.scopes,
  projectIds: trustRules.projectIds,
  lifetimeMinutes: trustRules.lifetimeMinutes,
  createdAt: trustRules.createdAt,
  createdBy: trustRules.createdBy,
  lastUsedAt: trustRules.lastUsedAt,
};

/** A trust rule's row in D1. Times are Unix milliseconds. */
export type TrustRuleReading = Pick<typeof trustRules.$inferSelect, keyof typeof trustRuleFields>;

/** The trust rule with this id; null if there is none, or if the caller may not see it. */
export async function findTrustRule(rows: AccountRows, id: TrustRuleId): Promise<TrustRuleReading | null> {
  return await rows.find(trustRuleFields, trustRules, id);
}

/** The trust rules that the caller may see, newest first. */
export async function listTrustRules(
  rows: AccountRows,
  position: Position<TrustRuleId>,
): Promise<TrustRuleReading[]> {
  return await rows.page(trustRuleFields, trustRules, trustRules.id, position);
}

/** The account's trust rules of an issuer, the oldest first. */
export async function trustRulesOf(rows: AccountRows, issuer: string): Promise<TrustRuleReading[]> {
  const where = eq(trustRules.issuer, issuer);
  return await rows.select(trustRuleFields, trustRules, { where, orderBy: [trustRules.id.getSQL()] });
}

// `recorded`: what records the change (`requestWrites`), in the same batch.

type TrustRuleInsertion =
  | { readonly outcome: "inserted"; readonly rule: TrustRuleReading }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] }
  | { readonly outcome: "too_many" };

/**
 * Adds a trust rule if the account has its projects (each listed once). If an earlier try of the same request has added it,
 * returns that rule.
 */
export async function insertTrustRule(
  rows: AccountRows,
  rule: TrustRuleReading,
  sender: Sender,
  recorded: readonly Write[],
): Promise<TrustRuleInsertion> {
  const wanted = rule.projectIds ?? [];
  const hasRoom = sql`${rows.countAll(trustRules)} < ${MAX_TRUST_RULES}`;
  const isPossible = sql`${hasProjects(rows, wanted)} and ${hasRoom} and ${hasStillRights(rows, sender)}`;
  const insert = rows.insert(trustRules, rule, isPossible);
  try {
    const [inserted] = await rows.runTogether([insert, ...recorded]);
    if (inserted === 1) return { outcome: "inserted", rule };
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
  const added = await findTrustRule(rows, rule.id);
  if (added !== null) return { outcome: "inserted", rule: added };
  const unknown = await unknownProjects(rows, wanted);
  return unknown.length > 0 ? { outcome: "no_such_projects", projectIds: unknown } : { outcome: "too_many" };
}

/** Undefined fields keep their values. */
export type TrustRuleChanges = {
  readonly [Name in "name" | "audience" | "claims" | "scopes" | "projectIds" | "lifetimeMinutes"]:
    | TrustRuleReading[Name]
    | undefined;
};

/** `changed_meanwhile`: it is not as it was read, or one of its new projects does not exist. */
type TrustRuleChange = "changed" | "changed_meanwhile";

/**
 * Changes a trust rule, if it is still as it was read and the account has its new projects (each listed once). So two changes
 * at the same time cannot add up to more than either of their senders may give.
 * @param before the rule as it was read
 * @param revokedAt when its tokens are revoked, in Unix milliseconds; null: they stay
 */
export async function changeTrustRule(
  rows: AccountRows,
  before: TrustRuleReading,
  changes: TrustRuleChanges,
  revokedAt: number | null,
  sender: Sender,
  recorded: readonly Write[],
): Promise<TrustRuleChange> {
  const wanted = changes.projectIds ?? [];
  const hasItsProjects = wanted.length > 0 ? hasProjects(rows, wanted) : undefined;
  const where = and(isUnchanged(before), hasItsProjects, hasStillRights(rows, sender));
  const update = rows.update(trustRules, changes, where);
  // Before the update, after which the rule is no longer as it was.
  const isPossible = sql`${rows.count(trustRules, where)} = 1`;
  const revocations = revokedAt === null ? [] : [revocation(rows, before.id, revokedAt, isPossible)];
  const changed = (await rows.runTogether([...revocations, update, ...recorded]))[revocations.length];
  return changed === 1 ? "changed" : "changed_meanwhile";
}

/** Whether a rule is as it was read. */
export function isUnchanged(rule: TrustRuleReading): SQL {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const { id, name, audience, claims, scopes, projectIds, lifetimeMinutes } = rule;
  const parts = [
    eq(trustRules.id, id),
    eq(trustRules.name, name),
    eq(trustRules.audience, audience),
    eq(trustRules.lifetimeMinutes, lifetimeMinutes),
    sql`${trustRules.claims} = ${json(claims)}`,
    sql`${trustRules.scopes} = ${json(scopes)}`,
    sql`${trustRules.projectIds} is ${json(projectIds)}`,
  ];
  return sql.join(parts, sql` and `);
}

/** Deletes a trust rule and revokes its tokens. @param now Unix milliseconds. @returns false if it does not exist */
export async function removeTrustRule(
  rows: AccountRows,
  id: TrustRuleId,
  now: number,
  recorded: readonly Write[],
): Promise<boolean> {
  const removal = rows.delete(trustRules, eq(trustRules.id, id));
  const [removed] = await rows.runTogether([removal, ...recorded, revocation(rows, id, now, sql`true`)]);
  return removed === 1;
}

/** Revokes the tokens that jobs got by a rule, if `onlyIf` is true. */
function revocation(rows: AccountRows, id: TrustRuleId, now: number, onlyIf: SQL): Write {
  const where = and(eq(tokens.trustRuleId, id), isNull(tokens.revokedAt), onlyIf);
  return rows.update(tokens, { revokedAt: now }, where);
}
