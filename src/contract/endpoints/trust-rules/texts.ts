import { TrustProvider, trustProviders } from "#contract/endpoints/trust-rules/providers.ts";
import * as schemas from "#contract/endpoints/trust-rules/schemas.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const rule = {
  id: example.trustRule,
  name: "shop, main",
  provider: "github",
  issuer: "https://token.actions.githubusercontent.com",
  subject_claim: "repository_id",
  subject: "1296269",
  audience: "https://gantry.example.com",
  claims: { event_name: ["push", "workflow_dispatch", "schedule", "release"], ref: ["refs/heads/main"] },
  scopes: ["deployments:write"],
  project_ids: [example.project],
  lifetime_minutes: 30,
  created_at: "2026-11-02T08:20:00.000Z",
  last_used_at: "2026-11-20T09:14:01.822Z",
} as const;

export const trustRuleTexts = {
  listTrustRules: {
    summary: "List trust rules, newest first",
    description: prose`
      Returns the trust rules of the account, newest first. A token that is limited to projects sees only rules
      whose projects it can all access. Without \`limit\`, the response contains all: an account can have 100.`,
    answer: { trust_rules: [rule], next_cursor: null },
  },
  createTrustRule: {
    summary: "Create a trust rule",
    description: prose`
      Creates a trust rule: which jobs of a CI system get a token without a stored secret. A job of GitHub Actions, GitLab CI,
      CircleCI, Buildkite or Bitbucket Pipelines, or of another issuer of OpenID Connect tokens, sends its identity token to
      \`POST /v1/token-exchange\`. It gets a token with the scopes and projects of the rule if the identity token is signed by
      \`issuer\`, has the subject and the audience of the rule, and has one of the given values in each of \`claims\`.

      \`subject\` is an id that the provider never gives to another repository or pipeline; names can be taken over.
      \`claims\` must have a branch, a tag or an environment, except for \`other\`. What else the provider's jobs should be
      limited by, such as GitHub's \`event_name\`, is added if you do not send it. Jobs for pull requests of forks do not
      match at GitHub, GitLab, CircleCI and Bitbucket; at Buildkite, turn on the prefix for branches of forks.

      A token can only give scopes and projects that it has (403 \`insufficient_scope\`). A job can get neither \`tokens:write\` nor
      \`deployments:approve\`.`,
    body: {
      name: rule.name,
      provider: "github",
      subject: rule.subject,
      claims: { ref: ["refs/heads/main"] },
      scopes: ["deployments:write"],
      project_ids: [example.project],
    },
    answer: { ...rule, last_used_at: null },
    location: `/v1/trust-rules/${example.trustRule}`,
  },
  getTrustRule: {
    summary: "Get a trust rule",
    description: prose`Returns one trust rule: which jobs it trusts, and what they may do.`,
    answer: rule,
  },
  updateTrustRule: {
    summary: "Change a trust rule",
    description: prose`
      Changes a trust rule. Omitted fields keep their values; \`claims\` is replaced as a whole, and
      the provider's default claims are added. The token of the request needs
      all scopes and projects that the rule has afterwards. If \`claims\`, \`scopes\`, \`project_ids\` or \`audience\`
      change, the tokens of its jobs are revoked. The issuer and the subject cannot change: create another rule.`,
    body: { claims: { event_name: ["push"], environment: ["production"] } },
    answer: { ...rule, claims: { event_name: ["push"], environment: ["production"] } },
  },
  deleteTrustRule: {
    summary: "Delete a trust rule",
    description: prose`
      Deletes a trust rule, and revokes the tokens that jobs have got by it. Parts of the network that have just checked such
      a token can accept it for another 10 seconds.`,
  },
  testTrustRules: {
    summary: "Test an identity token against the trust rules",
    description: prose`
      Says which trust rules give a token for an identity token, and which claim is in the way of the others. The identity
      token may have expired, and can still be exchanged afterwards. Nothing is created.`,
    body: { subject_token: secrets.identity },
    answer: {
      issuer: rule.issuer,
      claims: { repository_id: "1296269", ref: "refs/heads/dev", event_name: "push" },
      problem: null,
      verdicts: [
        {
          trust_rule: { id: example.trustRule, name: rule.name },
          problem: "The token has the ref refs/heads/dev. The rule wants refs/heads/main.",
        },
      ],
    },
  },
  exchangeToken: {
    summary: "Exchange the identity token of a job for a token",
    description: prose`
      Exchanges an identity token, which a CI system signs for a job, for a token with the scopes and projects of the trust
      rule that trusts the job. Source: RFC 8693. The body can be JSON or a form. The command does this by itself in a job:
      see [Deploying from CI](/docs/ci).

      The identity token must be for the audience of the rule, which is the address of the installation unless the rule says
      otherwise. It can be exchanged only once. If several rules of an account trust the job, the oldest one counts, unless
      \`trust_rule_id\` names another. A wrong, unknown or used identity token is 400 \`invalid_identity_token\`; \`detail\`
      says which claim is in the way. An address that sends too many of them gets 429. If the issuer's keys cannot be read,
      the response is 503.`,
    body: {
      grant_type: schemas.TOKEN_EXCHANGE,
      subject_token: secrets.identity,
      subject_token_type: schemas.JWT_TYPE,
    },
    answer: {
      access_token: secrets.job,
      issued_token_type: schemas.ACCESS_TOKEN_TYPE,
      token_type: "Bearer",
      expires_in: 1800,
      scope: "deployments:write",
    },
  },
} as const satisfies Partial<OperationTexts>;

const changeable = {
  name: "A name for people, on one line. Deployments show it as their actor.",
  audience: "The audience that identity tokens must have. Default: the address of the installation.",
  claims:
    "The values that a claim may have, by the name of the claim. A name of a branch or tag can end with `*`, which matches any characters.",
  scopes: "The scopes of the tokens that jobs get.",
  project_ids: "The projects that the tokens can access. `null`: all projects of the account.",
  lifetime_minutes: "How long a job's token is valid, in minutes.",
};

const trusted = {
  provider: "The CI system.",
  issuer: "The issuer of the identity tokens, as they name it in `iss`.",
  subject: "The id of the repository or pipeline, as in the claim that `subject_claim` names.",
};

const identityToken = "The identity token: a JSON Web Token that the CI system has signed for the job.";

export const trustRuleSchemas = {
  TrustProvider: choice(
    TrustProvider,
    "The CI system of a trust rule.",
    mapValues(trustProviders, ({ label, subjectClaim }) => `${label}. The subject is \`${subjectClaim}\``),
  ),
  CreateTrustRuleInput: object(schemas.CreateTrustRuleInput, "The trust rule to create.", {
    ...changeable,
    ...trusted,
    issuer:
      "The issuer of the identity tokens, as they name it in `iss`. Default: the provider's public issuer; `circleci`, `bitbucket` and `other` have none.",
    claims: `${changeable.claims} The provider's default claims are added if you do not send them.`,
  }),
  UpdateTrustRuleInput: object(
    schemas.UpdateTrustRuleInput,
    "The fields to change. Omitted fields keep their values.",
    changeable,
  ),
  TrustRule: object(schemas.TrustRule, "A rule that gives tokens to jobs.", {
    ...changeable,
    ...trusted,
    id: "The trust rule's id.",
    subject_claim: "The claim that must be `subject`.",
    created_at: "When the rule was created.",
    last_used_at: "When a job last got a token by the rule. `null`: never.",
  }),
  TrustRuleRows: object(schemas.TrustRuleRows, "A page of trust rules.", {
    trust_rules: "The trust rules of this page, newest first.",
    next_cursor: nextCursor,
  }),
  TestTrustRulesInput: object(schemas.TestTrustRulesInput, "The identity token to test.", {
    subject_token: identityToken,
  }),
  TrustVerdict: object(schemas.TrustVerdict, "Whether a trust rule gives a token.", {
    trust_rule: "The trust rule.",
    "trust_rule.id": "Its id.",
    "trust_rule.name": "Its name.",
    problem: "Why it gives none, as a sentence. `null`: it gives one.",
  }),
  TrustTest: object(schemas.TrustTest, "What the trust rules say of an identity token.", {
    issuer: "The issuer that the token names. `null`: the text is not an identity token.",
    claims: "The claims of the token, as text.",
    problem:
      "Why no rule gives a token now, as a sentence: the text is not an identity token, no rule has its issuer, it has expired, its issuer has not signed it, or the issuer's keys cannot be read. `null`: no problem.",
    verdicts: "The verdict of each rule of the issuer; rules that give a token come first.",
  }),
  ExchangeTokenInput: object(schemas.ExchangeTokenInput, "The identity token to exchange, as in RFC 8693.", {
    grant_type: `\`${schemas.TOKEN_EXCHANGE}\`.`,
    subject_token: identityToken,
    subject_token_type: `\`${schemas.JWT_TYPE}\`. The type \`id_token\` means the same.`,
    requested_token_type: `Default: \`${schemas.ACCESS_TOKEN_TYPE}\`, the only type.`,
    trust_rule_id: "The trust rule to use. Default: the oldest rule that trusts the job.",
  }),
  ExchangedToken: object(schemas.ExchangedToken, "The token of a job.", {
    access_token: "The token. Send it as `Authorization: Bearer <token>`.",
    issued_token_type: "What it is.",
    token_type: "How it is sent.",
    expires_in: "How long it is valid, in seconds.",
    scope: "Its scopes, with spaces between them.",
  }),
} satisfies Record<string, SchemaText>;
