import * as z from "zod/mini";

import { listBetween, textBetween, textLike, wholeBetween } from "#contract/bounds.ts";
import { parseAddress } from "#contract/addresses/web-address.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { TrustProvider } from "#contract/endpoints/trust-rules/providers.ts";
import { growing } from "#contract/growing.ts";
import { firstHidden } from "#contract/hidden-text.ts";
import { ProjectId, TrustRuleId } from "#contract/ids.ts";
import { NextCursor } from "#contract/paging.ts";
import { allScopes, Scope } from "#contract/scopes.ts";

/** The maximum number of trust rules of an account. */
export const MAX_TRUST_RULES = 100;

export const DEFAULT_LIFETIME_MINUTES = 30;
const MIN_LIFETIME_MINUTES = 5;
export const MAX_LIFETIME_MINUTES = 120;

const MAX_PROJECT_IDS = 1_000;
const MAX_CLAIMS = 20;
const MAX_VALUES = 20;
const MAX_CLAIM_LENGTH = 300;

/** An identity token is a few kilobytes. */
export const MAX_IDENTITY_TOKEN_LENGTH = 16_384;

/**
 * Scopes that a rule cannot give. With `tokens:write` a job could keep its access, with `members:write` it could invite a
 * member who keeps it; with `deployments:approve` a second job could approve what the first one started; with
 * `deployments:emergency` it could pass the approval.
 */
export const forbiddenJobScopes: readonly Scope[] = [
  "tokens:write",
  "members:write",
  "deployments:approve",
  "deployments:emergency",
];

const JobScope = Scope.check(
  z.refine((scope) => !forbiddenJobScopes.includes(scope), "is a scope that a trust rule cannot give"),
);

/** An address, as the issuer writes it in its tokens: also a slash at its end counts. */
const Issuer = textBetween(1, MAX_CLAIM_LENGTH).check(
  z.superRefine((text, context) => {
    const read = parseAddress(text);
    if (!read.ok) context.addIssue({ code: "custom", message: read.message });
    else if (read.value.query !== "")
      context.addIssue({ code: "custom", message: "must not have a query (?)" });
  }),
);

const ClaimName = textLike(/^[\w./:-]{1,100}$/, "must be the name of a claim, such as ref");
/** Visible, so that a value cannot look like several claims. */
const Visible = textBetween(1, MAX_CLAIM_LENGTH).check(
  z.refine(
    (text) => firstHidden(text) === null && !/\p{Cc}/u.test(text),
    "must be one line without invisible characters",
  ),
);

const Claims = z
  .record(ClaimName, listBetween(Visible, 1, MAX_VALUES))
  .check(
    z.refine((claims) => Object.keys(claims).length <= MAX_CLAIMS, `must have at most ${MAX_CLAIMS} claims`),
  );

const Lifetime = wholeBetween(MIN_LIFETIME_MINUTES, MAX_LIFETIME_MINUTES);

/** What can change later. The issuer and the subject cannot: another repository is another rule. */
const changeable = {
  name: DisplayName,
  audience: Visible,
  claims: Claims,
  scopes: listBetween(JobScope, 1, allScopes.length),
  project_ids: z.nullable(listBetween(ProjectId, 1, MAX_PROJECT_IDS)),
  lifetime_minutes: Lifetime,
};

/**
 * `issuer`: needed if the provider has more than one. `audience`: default: the address of the installation.
 * `claims`: the values that each claim may have; the provider's default claims are added.
 */
export const CreateTrustRuleInput = z.strictObject({
  name: changeable.name,
  provider: TrustProvider,
  issuer: z.optional(Issuer),
  subject: Visible,
  audience: z.optional(changeable.audience),
  claims: z._default(Claims, {}),
  scopes: changeable.scopes,
  project_ids: z._default(changeable.project_ids, null),
  lifetime_minutes: z._default(Lifetime, DEFAULT_LIFETIME_MINUTES),
});
export type CreateTrustRuleInput = z.infer<typeof CreateTrustRuleInput>;

/** The fields to change. `claims` is replaced as a whole, and the provider's default claims are added. */
export const UpdateTrustRuleInput = z.partial(z.strictObject(changeable));
export type UpdateTrustRuleInput = z.infer<typeof UpdateTrustRuleInput>;

/**
 * A rule that gives tokens to jobs. `subject_claim`: the claim that must be `subject`. `last_used_at`: when a job last got a
 * token by it.
 */
export const TrustRule = z.strictObject({
  id: TrustRuleId,
  name: z.string(),
  provider: growing(TrustProvider),
  issuer: z.string(),
  subject_claim: z.string(),
  subject: z.string(),
  audience: z.string(),
  claims: z.record(z.string(), z.array(z.string())),
  scopes: z.array(growing(Scope)),
  project_ids: z.nullable(z.array(ProjectId)),
  lifetime_minutes: z.int(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
});
export type TrustRule = z.infer<typeof TrustRule>;

export const TrustRuleRows = z.strictObject({ trust_rules: z.array(TrustRule), next_cursor: NextCursor });
export type TrustRuleRows = z.infer<typeof TrustRuleRows>;

const IdentityToken = textBetween(1, MAX_IDENTITY_TOKEN_LENGTH);

export const TestTrustRulesInput = z.strictObject({ subject_token: IdentityToken });
export type TestTrustRulesInput = z.infer<typeof TestTrustRulesInput>;

/** Whether a rule gives a token. `problem`: why not, as a sentence; null: it does. */
export const TrustVerdict = z.strictObject({
  trust_rule: z.strictObject({ id: TrustRuleId, name: z.string() }),
  problem: z.nullable(z.string()),
});
export type TrustVerdict = z.infer<typeof TrustVerdict>;

/**
 * What the account's rules say of an identity token. `problem`: why no rule can match, as a sentence: it is no identity token,
 * has expired, or is signed by somebody else. `verdicts`: of each rule of its issuer, the rules that match first.
 */
export const TrustTest = z.strictObject({
  issuer: z.nullable(z.string()),
  claims: z.record(z.string(), z.string()),
  problem: z.nullable(z.string()),
  verdicts: z.array(TrustVerdict),
});
export type TrustTest = z.infer<typeof TrustTest>;

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
const ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";

/**
 * Source: RFC 8693 section 2.1. `trust_rule_id`: the rule to use. Default: the oldest rule that trusts the job. Required if
 * rules of several accounts do.
 */
export const ExchangeTokenInput = z.strictObject({
  grant_type: z.literal(TOKEN_EXCHANGE),
  subject_token: IdentityToken,
  subject_token_type: z.enum([JWT_TYPE, ID_TOKEN_TYPE]),
  requested_token_type: z.optional(z.literal(ACCESS_TOKEN_TYPE)),
  trust_rule_id: z.optional(TrustRuleId),
});
export type ExchangeTokenInput = z.infer<typeof ExchangeTokenInput>;

/** Source: RFC 8693 section 2.2.1. `expires_in`: seconds. `scope`: the scopes, with spaces between them. */
export const ExchangedToken = z.strictObject({
  access_token: z.string(),
  issued_token_type: z.literal(ACCESS_TOKEN_TYPE),
  token_type: z.literal("Bearer"),
  expires_in: z.int(),
  scope: z.string(),
});
export type ExchangedToken = z.infer<typeof ExchangedToken>;
