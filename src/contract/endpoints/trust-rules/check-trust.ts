import {
  isPrefix,
  missingClaim,
  type RequiredClaims,
  type ProviderSpec,
  TrustProvider,
  trustProviders,
} from "#contract/endpoints/trust-rules/providers.ts";
import { escapeKey } from "#contract/lib/json-pointer.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";

/** The identity tokens that a rule accepts. `claims`: the values that each claim may have. */
export type TrustedTokens = {
  readonly provider: TrustProvider;
  readonly issuer: string;
  readonly subject: string;
  readonly claims: RequiredClaims;
};

/** What is wrong with a field of a rule. `pointer`: a JSON pointer. `message`: the end of a sentence about the field. */
export type TrustProblem = { readonly pointer: string; readonly message: string };

/** Checks a new rule, and adds the provider's default claims that it does not have. */
export function checkTrust({
  provider,
  issuer: given,
  subject,
  claims: givenClaims,
}: Omit<TrustedTokens, "issuer"> & { readonly issuer?: string | undefined }): ResultOf<
  TrustedTokens,
  { readonly problem: TrustProblem }
> {
  const spec = trustProviders[provider];
  const issuer = given ?? spec.issuer;
  if (issuer === null)
    return refused("/issuer", `must be given: ${spec.issuerForm?.example ?? "the address of the issuer"}`);
  if (spec.issuerForm?.pattern.test(issuer) === false)
    return refused("/issuer", `must be ${spec.issuerForm.example}`);
  const owner = provider === "other" ? providerOf(issuer) : null;
  if (owner !== null)
    return refused("/provider", `must be ${owner} for this issuer, whose jobs have claims of their own`);
  if (spec.subjectForm?.pattern.test(subject) === false)
    return refused("/subject", `must be the ${spec.subjectClaim}, ${spec.subjectForm.example}`);
  const claims = { ...spec.defaultClaims, ...givenClaims };
  const problem = problemOfRequiredClaims(provider, claims);
  return problem === null ? succeed({ provider, issuer, subject, claims }) : { ok: false, problem };
}

/** What is wrong with the claims of a rule; null: nothing. */
export function problemOfRequiredClaims(
  provider: TrustProvider,
  claims: RequiredClaims,
): TrustProblem | null {
  const spec = trustProviders[provider];
  const missing = missingClaim(spec, claims);
  if (missing !== null) return { pointer: "/claims", message: missing };
  for (const [name, values] of Object.entries(claims)) {
    const pointer = `/claims/${escapeKey(name)}`;
    const allowed = Object.hasOwn(spec.allowedValues, name) ? spec.allowedValues[name] : undefined;
    const message = problemOfValues(spec, name, values, allowed);
    if (message !== null) return { pointer, message };
  }
  return null;
}

function problemOfValues(
  { subjectClaim, branch, tag }: ProviderSpec,
  name: string,
  values: readonly string[],
  allowed: readonly string[] | undefined,
): string | null {
  if (name === subjectClaim) return "is the subject, which has a field of its own";
  if (ofEveryToken.has(name)) return "is checked for every token, so a rule cannot set it";
  const other = values.find((value) => allowed?.includes(value) === false);
  if (other !== undefined)
    return `must be one of ${allowed?.join(", ")}: ${other} would accept jobs with code from people who cannot push`;
  const starred = values.filter((value) => value.endsWith("*"));
  if (starred.some((value) => !isPrefix(name, value)))
    return "must be exact: only names of branches and tags can end with *";
  const prefixes = [branch, tag].flatMap((form) => (form?.claim === name ? [form.prefix] : []));
  const isLimited = (value: string) =>
    prefixes.some((prefix) => value.startsWith(prefix) && value.length > prefix.length + 1);
  return starred.every(isLimited)
    ? null
    : `cannot have * for every name: write ${prefixes[0] ?? ""}release/*`;
}

const ofEveryToken: ReadonlySet<string> = new Set(["iss", "aud", "exp", "nbf", "iat"]);

/** The provider that has this issuer; null: none. */
function providerOf(issuer: string): TrustProvider | null {
  const bare = issuer.replace(/\/+$/, "");
  return (
    TrustProvider.options.find((provider) => {
      const { issuer: only, issuerForm } = trustProviders[provider];
      return only === bare || issuerForm?.pattern.test(bare) === true;
    }) ?? null
  );
}

function refused(pointer: string, message: string) {
  return { ok: false, problem: { pointer, message } } as const;
}
