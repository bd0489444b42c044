import { and, eq, sql } from "drizzle-orm";

import { MAX_TRUST_RULES } from "#contract/endpoints/trust-rules/schemas.ts";
import type { AccountId, TrustRuleId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { trustRules, usedSecrets } from "#worker/db/identity-tables.ts";
import type { NewRow } from "#worker/db/owned-tables.ts";
import { read, readerOf, select } from "#worker/db/reads.ts";
import { tokens } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";
import {
  isUnchanged,
  trustRuleFields,
  type TrustRuleReading,
} from "#worker/db/trust-rules/trust-rule-records.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** A trust rule with its account. */
export type OwnedTrustRule = TrustRuleReading & { readonly accountId: AccountId };

const fields = { ...trustRuleFields, accountId: trustRules.accountId };

/** More rules than an account can have: then some are of another account. */
const MOST_RULES = MAX_TRUST_RULES + 1;

/**
 * The rules of an issuer for one of these subjects, of all accounts, the oldest first. One read by index. It names no account,
 * because it finds out whose token it is.
 * @param only the rule that the request names; undefined: any
 */
export async function findTrustRules(
  database: D1Database,
  issuer: string,
  subjects: readonly string[],
  only: TrustRuleId | undefined,
): Promise<OwnedTrustRule[]> {
  const isNamed = only === undefined ? undefined : eq(trustRules.id, only);
  const where = and(eq(trustRules.issuer, issuer), isOneOf(trustRules.subject, subjects), isNamed);
  return await read(
    database,
    select<typeof fields>(
      readerOf(fields),
      (cells) => cells.from(trustRules).where(where).orderBy(trustRules.id),
      MOST_RULES,
    ),
  );
}

/** A token that a job gets. */
export type JobToken = Pick<
  NewRow<typeof tokens>,
  "id" | "name" | "hash" | "scopes" | "projectIds" | "createdAt" | "expiresAt"
>;

/**
 * Marks an identity token as used and adds the job's token, in one transaction, and notes the use of the rule.
 * `used_before`: the identity token was exchanged already. `no_rule`: the rule was deleted or changed since it was read.
 * @param identity what names the identity token, and until when it is valid (Unix milliseconds)
 * @param recorded the writes that record the exchange
 */
export async function exchangeIdentity(
  rows: AccountRows,
  rule: TrustRuleReading,
  identity: { readonly id: string; readonly expiresAt: number },
  token: JobToken,
  recorded: readonly Write[],
): Promise<"exchanged" | "used_before" | "no_rule"> {
  const insert = rows.insert(
    tokens,
    { ...token, kind: "exchange", trustRuleId: rule.id },
    sql`${rows.count(trustRules, isUnchanged(rule))} = 1`,
  );
  // If the rule has changed, a second try must find the identity token unused.
  const isExchanged = sql`${rows.count(tokens, eq(tokens.id, token.id))} = 1`;
  const markUsed = rows.insert(usedSecrets, identity, isExchanged);
  const isOfRule = and(eq(trustRules.id, rule.id), isExchanged);
  const noteUse = rows.update(trustRules, { lastUsedAt: token.createdAt }, isOfRule);
  try {
    const [inserted] = await rows.runTogether([insert, ...recorded, markUsed, noteUse]);
    return inserted === 1 ? "exchanged" : "no_rule";
  } catch (error) {
    if (uniqueViolation(error) === "used_secrets.id") return "used_before";
    throw error;
  }
}
