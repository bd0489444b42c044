import type { TrustedTokens } from "#contract/endpoints/trust-rules/check-trust.ts";
import {
  isPrefix,
  type RequiredClaims,
  type TrustProvider,
  trustProviders,
} from "#contract/endpoints/trust-rules/providers.ts";

/**
 * A claim that does not match. `actual`: its values in the token; none: the token does not have it. `expected`: none: the token
 * must not have it.
 */
export type Mismatch = {
  readonly claim: string;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
};

/** The first claim of a verified token that does not match a rule; null: the rule trusts the token. */
export function mismatchOf(
  { provider, subject, claims: ofRule }: TrustedTokens,
  claims: Readonly<Record<string, unknown>>,
): Mismatch | null {
  const required: RequiredClaims[] = [
    { [trustProviders[provider].subjectClaim]: [subject] },
    forkClaims(provider, subject, claims),
    tagClaims(provider, ofRule),
    ofRule,
  ];
  for (const [claim, values] of required.flatMap((some) => Object.entries(some))) {
    const actual = valuesOf(claims, claim).filter((value) => value !== "");
    const isForbidden = values.length === 0 && actual.length === 0;
    if (!isForbidden && !actual.some((one) => values.some((value) => isMatch(provider, claim, value, one))))
      return { claim, expected: values, actual };
  }
  return null;
}

/**
 * A job of a fork's merge request runs in the parent's project with some versions of GitLab, and its token names the fork in
 * `job_project_id`. Versions before 18.3 do not have that claim.
 */
function forkClaims(
  provider: TrustProvider,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
): RequiredClaims {
  const isNamed = provider === "gitlab" && valuesOf(claims, "job_project_id").length > 0;
  return isNamed ? { job_project_id: [subject] } : {};
}

/**
 * The job of a tag has the name of the tag as its branch at Buildkite. So a rule for a branch does not accept jobs of tags:
 * others may push tags.
 */
function tagClaims(provider: TrustProvider, ofRule: RequiredClaims): RequiredClaims {
  const isForBranch = provider === "buildkite" && !Object.hasOwn(ofRule, "build_tag");
  return isForBranch ? { build_tag: [] } : {};
}

function isMatch(provider: TrustProvider, claim: string, expected: string, actual: string): boolean {
  if (isPrefix(claim, expected)) return actual.startsWith(expected.slice(0, -1));
  // GitHub's names of environments differ at most in their case, and a token has the name as the workflow writes it.
  const isNamedInAnyCase = provider === "github" && claim === "environment";
  return isNamedInAnyCase ? inLowerCase(actual) === inLowerCase(expected) : actual === expected;
}

/** Only ASCII: other letters can look like these after the change. */
function inLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The values of a claim, as text. A list has several; a missing claim, an object and a number that JSON readers round have
 * none.
 */
export function valuesOf(claims: Readonly<Record<string, unknown>>, claim: string): string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.flatMap((one) =>
    typeof one === "string" || typeof one === "boolean" || Number.isSafeInteger(one) ? [String(one)] : [],
  );
}

/** A mismatch as a sentence. */
export function mismatchText({ claim, expected, actual }: Mismatch): string {
  const has = actual.length === 0 ? `has no ${claim}` : `has the ${claim} ${actual.join(", ")}`;
  return `The token ${has}. The rule requires ${expected.length === 0 ? "none" : expected.join(" or ")}.`;
}
