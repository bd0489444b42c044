import type { ResultOf } from "#contract/lib/result.ts";
import { succeed } from "#contract/lib/result.ts";
import { mismatchOf, mismatchText } from "#domain/trust/trust-rule.ts";
import type { Services } from "#worker/context.ts";
import type { TrustRuleReading } from "#worker/db/trust-rules/trust-rule-records.ts";
import {
  isKnownAlgorithm,
  isSignedBy,
  problemOfAudience,
  type ReadIdentityToken,
} from "#worker/identity/identity-token.ts";
import type { IssuerKeys } from "#worker/identity/issuer-keys.ts";

/** Why a token is not verified, as a sentence. `isTemporary`: the keys are missing, so a later try can succeed. */
type Unverified = { readonly problem: string; readonly isTemporary: boolean };

/**
 * Checks that the issuer in a token has signed it. It asks the issuer for its keys, so call it only for the issuer of a
 * trust rule. A problem is a sentence.
 */
export async function verifySignature(
  { clock, targetProblem }: Pick<Services, "clock" | "targetProblem">,
  issuerKeys: IssuerKeys,
  token: ReadIdentityToken,
): Promise<ResultOf<null, Unverified>> {
  const { algorithm, keyId, claims } = token;
  if (!isKnownAlgorithm(algorithm))
    return unverified(`It is signed with ${algorithm.slice(0, 20)}, and must be signed with RS256 or ES256.`);
  const keys = await issuerKeys.of(claims.iss, keyId, { now: clock.now(), targetProblem });
  if (!keys.ok) return unverified(`The keys of its issuer cannot be read. ${keys.problem}`, true);
  if (await isSignedBy(token, keys.value)) return succeed(null);
  return unverified("Its signature is wrong: its issuer has not signed it.");
}

/** Why a rule gives no token for a verified identity token, as a sentence; null: it gives one. */
export function problemOfRule(rule: TrustRuleReading, { claims }: ReadIdentityToken): string | null {
  const mismatch = mismatchOf(rule, claims);
  return mismatch === null ? problemOfAudience(claims, rule.audience) : mismatchText(mismatch);
}

function unverified(problem: string, isTemporary = false): { readonly ok: false } & Unverified {
  return { ok: false, problem, isTemporary };
}
