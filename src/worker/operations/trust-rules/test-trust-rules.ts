import type { TestTrustRulesInput, TrustTest } from "#contract/endpoints/trust-rules/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { valuesOf } from "#domain/trust/trust-rule.ts";
import type { Context } from "#worker/context.ts";
import { trustRulesOf } from "#worker/db/trust-rules/trust-rule-records.ts";
import {
  type IdentityClaims,
  problemOfTimes,
  readIdentityToken,
  type ReadIdentityToken,
} from "#worker/identity/identity-token.ts";
import type { IssuerKeys } from "#worker/identity/issuer-keys.ts";
import { problemOfRule, verifySignature } from "#worker/identity/verify-identity.ts";

/**
 * Tests an identity token against the account's rules of its issuer. An expired token is tested too, and the token is not
 * used up. Asks an issuer for its keys only if a rule names it.
 */
export async function testTrustRules(
  context: Context,
  issuerKeys: IssuerKeys,
  { subject_token: sent }: TestTrustRulesInput,
): Promise<Result<TrustTest, never>> {
  const read = readIdentityToken(sent);
  if (!read.ok) return succeed({ issuer: null, claims: {}, problem: read.problem, verdicts: [] });
  const token = read.value;
  const { claims } = token;
  const rules = await trustRulesOf(context.rows, claims.iss);
  const verdicts = rules.map((rule) => ({
    trust_rule: { id: rule.id, name: rule.name },
    problem: problemOfRule(rule, token),
  }));
  return succeed({
    issuer: claims.iss,
    claims: shownClaims(claims),
    problem:
      rules.length === 0
        ? `No trust rule names the issuer ${claims.iss}.`
        : await problemOfToken(context, issuerKeys, token),
    verdicts: verdicts.toSorted(
      (one, other) => Number(one.problem !== null) - Number(other.problem !== null),
    ),
  });
}

async function problemOfToken(
  context: Context,
  issuerKeys: IssuerKeys,
  token: ReadIdentityToken,
): Promise<string | null> {
  const verified = await verifySignature(context, issuerKeys, token);
  return verified.ok ? problemOfTimes(token.claims, context.clock.now()) : verified.problem;
}

function shownClaims(claims: IdentityClaims): Record<string, string> {
  return Object.fromEntries(Object.keys(claims).map((name) => [name, valuesOf(claims, name).join(", ")]));
}
