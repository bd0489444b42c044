import type { AuditChanges } from "#contract/endpoints/audit/schemas.ts";
import { specOf, trustProviders } from "#contract/endpoints/trust-rules/providers.ts";
import {
  ACCESS_TOKEN_TYPE,
  type ExchangedToken,
  type ExchangeTokenInput,
} from "#contract/endpoints/trust-rules/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import { valuesOf } from "#domain/trust/trust-rule.ts";
import { sha256 } from "#sealing/bytes.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { auditWrites } from "#worker/db/changes/change-writes.ts";
import {
  exchangeIdentity,
  findTrustRules,
  type OwnedTrustRule,
} from "#worker/db/trust-rules/exchange-records.ts";
import {
  type IdentityClaims,
  problemOfTimes,
  readIdentityToken,
  type ReadIdentityToken,
} from "#worker/identity/identity-token.ts";
import type { IssuerKeys } from "#worker/identity/issuer-keys.ts";
import { problemOfRule, verifySignature } from "#worker/identity/verify-identity.ts";
import { logFailure } from "#worker/log-failure.ts";
import { requestEntry, requestWrites } from "#worker/operations/changes/request-changes.ts";
import { secretHash } from "#worker/secret-hash.ts";

type ExchangeRefusal = "invalid_identity_token" | "invalid_request" | "rate_limited" | "unavailable";
type Refused = Result<never, ExchangeRefusal>;

/**
 * Exchanges the identity token of a job for a token with the scopes and projects of the trust rule that trusts the job.
 * Source: RFC 8693. A sender whom no rule trusts causes one read, no write and no request to the issuer, and learns nothing of
 * the rules.
 */
export async function exchangeToken(
  context: OpenContext,
  issuerKeys: IssuerKeys,
  { subject_token: sent, trust_rule_id: onlyRule }: ExchangeTokenInput,
): Promise<Result<ExchangedToken, ExchangeRefusal>> {
  const read = readIdentityToken(sent);
  if (!read.ok) return await refused(context, `The identity token is not valid. ${read.problem}`);
  const token = read.value;
  const { claims } = token;
  const timeProblem = problemOfTimes(claims, context.clock.now());
  if (timeProblem !== null) return await refused(context, `The identity token is not valid. ${timeProblem}`);
  const found = await findTrustRules(context.database, claims.iss, subjectsOf(claims), onlyRule);
  const rules = found.filter((rule) => isSubjectOf(rule, claims));
  const [first] = rules;
  if (first === undefined) return await refused(context, noMatchingRule(claims));
  const verified = await verifySignature(context, issuerKeys, token);
  if (!verified.ok) {
    // The sender may be anybody, so it gets the same answer as without a rule.
    const refusal = await refused(context, noMatchingRule(claims));
    return verified.isTemporary && !isLimited(refusal) ? unavailable : refusal;
  }
  if (rules.some(({ accountId }) => accountId !== first.accountId))
    return refuse("invalid_request", "Several accounts have rules for this job. Send trust_rule_id.", [
      { pointer: "/trust_rule_id", message: "must name the trust rule" },
    ]);
  const rule = rules.find((one) => problemOfRule(one, token) === null);
  return rule === undefined
    ? await refuseClaims(context, first, rules.length - 1, token)
    : await giveToken(context, rule, token);
}

const unavailable = refuse(
  "unavailable",
  "The keys of the token's issuer cannot be read at the moment. Try again shortly.",
);

const isLimited = (refusal: Refused) => !refusal.ok && refusal.refusal.code === "rate_limited";

/** Whether a token has the subject of a rule in the claim of the rule's provider. */
function isSubjectOf({ provider, subject }: OwnedTrustRule, claims: IdentityClaims): boolean {
  const spec = specOf(provider);
  return spec !== null && valuesOf(claims, spec.subjectClaim).includes(subject);
}

/** Gives the job its token. An identity token can be exchanged only once. */
async function giveToken(
  context: OpenContext,
  rule: OwnedTrustRule,
  identity: ReadIdentityToken,
): Promise<Result<ExchangedToken, ExchangeRefusal>> {
  const limited = await context.limitExchanges(rule.id);
  if (limited !== null) return limited;
  const secret = formToken(randomTokenCharacters(context.randomBytes), "exchange");
  const createdAt = context.clock.now();
  const lifetimeS = rule.lifetimeMinutes * 60;
  const token = {
    id: context.ids.token(),
    name: rule.name,
    hash: await secretHash(secret),
    scopes: rule.scopes,
    projectIds: rule.projectIds,
    createdAt,
    expiresAt: createdAt + lifetimeS * 1000,
  };
  const rows = new AccountRows(context.database, rule.accountId);
  // No event: a webhook would get one for each job.
  const recorded = requestWrites(
    { ...context, rows, token, member: null },
    {
      event: null,
      target: { type: "trust_rule", id: rule.id, name: rule.name },
      projectId: null,
      changes: recordedClaims(rule, identity.claims),
    },
  );
  switch (await exchangeIdentity(rows, rule, await usedSecretOf(identity), token, recorded)) {
    case "exchanged":
      return succeed({
        access_token: secret,
        issued_token_type: ACCESS_TOKEN_TYPE,
        token_type: "Bearer",
        expires_in: lifetimeS,
        scope: rule.scopes.join(" "),
      });
    case "used_before": {
      const problem = "The identity token was already exchanged. Request a new one from the CI system.";
      return await refuseJob(context, rule, identity, problem);
    }
    case "no_rule":
      return await refused(context, "The trust rule was changed or deleted at this moment. Try again.");
  }
}

/** The subject claims of all providers. */
const subjectClaims = [...new Set(Object.values(trustProviders).map(({ subjectClaim }) => subjectClaim))];

/** The subject that each provider's rules name, as far as the token has it. */
function subjectsOf(claims: IdentityClaims): string[] {
  return subjectClaims.flatMap((name) => valuesOf(claims, name));
}

const EXPIRY_MARGIN_MS = 60_000;

/** The id of an identity token, after its signature was verified. CircleCI and Buildkite document no `jti`. */
async function usedSecretOf({ claims, signed }: ReadIdentityToken) {
  const [jti] = valuesOf(claims, "jti");
  const name = jti ?? new TextDecoder().decode(signed);
  return {
    id: await sha256(JSON.stringify([claims.iss, jti === undefined ? "token" : "jti", name])),
    expiresAt: Math.ceil(claims.exp * 1000) + EXPIRY_MARGIN_MS,
  };
}

/** The claims of a job for the audit log. */
function recordedClaims(rule: OwnedTrustRule, claims: IdentityClaims): AuditChanges {
  const { subjectClaim, auditedClaims } = trustProviders[rule.provider];
  const names = new Set([subjectClaim, ...Object.keys(rule.claims), ...auditedClaims]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const values = valuesOf(claims, name);
      return values.length === 0 ? [] : [[name, { before: null, after: values.join(", ") }]];
    }),
  );
}

/** Refuses a job of a known repository whose claims no rule trusts. @param others how many more rules there are for it */
async function refuseClaims(
  context: OpenContext,
  rule: OwnedTrustRule,
  others: number,
  token: ReadIdentityToken,
): Promise<Refused> {
  const more =
    others === 0 ? "" : ` ${others} other ${others === 1 ? "rule does" : "rules do"} not match either.`;
  const problem = problemOfRule(rule, token) ?? "";
  return await refuseJob(
    context,
    rule,
    token,
    `The trust rule ${rule.name} does not trust this job. ${problem}${more}`,
  );
}

/** Refuses a job of a known repository, and records it in the audit log: somebody may be trying. */
async function refuseJob(
  context: OpenContext,
  rule: OwnedTrustRule,
  { claims }: ReadIdentityToken,
  detail: string,
): Promise<Refused> {
  const limited = await context.limitFailures();
  if (limited !== null) return limited;
  // One identity token can be sent again and again from many addresses.
  if ((await context.limitRefusals(rule.id)) !== null) return refuse("invalid_identity_token", detail);
  const entry = requestEntry(
    { ...context, token: { id: null, name: rule.name }, member: null },
    {
      target: { type: "trust_rule", id: rule.id, name: rule.name },
      projectId: null,
      changes: recordedClaims(rule, claims),
    },
  );
  const refusedEntry = { ...entry, outcome: "refused", code: "invalid_identity_token" } as const;
  const rows = new AccountRows(context.database, rule.accountId);
  const failed = (error: unknown) => logFailure("record refused exchange", { trust_rule_id: rule.id }, error);
  context.defer(rows.runTogether(auditWrites(rows, [refusedEntry])).then(() => undefined, failed));
  return refuse("invalid_identity_token", detail);
}

function noMatchingRule(claims: IdentityClaims): string {
  const subjects = subjectClaims.flatMap((name) =>
    valuesOf(claims, name).map((value) => ` ${name}: ${value}.`),
  );
  return `No trust rule matches this job. Issuer: ${claims.iss}.${subjects.join("")}`;
}

async function refused(context: OpenContext, detail: string): Promise<Refused> {
  return (await context.limitFailures()) ?? refuse("invalid_identity_token", detail);
}
