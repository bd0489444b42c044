import type { OpenHandlers, TokenHandlers } from "#worker/http/handler.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { IssuerKeys } from "#worker/identity/issuer-keys.ts";
import {
  createTrustRule,
  deleteTrustRule,
  updateTrustRule,
} from "#worker/operations/trust-rules/change-trust-rules.ts";
import { exchangeToken } from "#worker/operations/trust-rules/exchange-token.ts";
import { getTrustRule, listTrustRules } from "#worker/operations/trust-rules/read-trust-rules.ts";
import { testTrustRules } from "#worker/operations/trust-rules/test-trust-rules.ts";

/** Of this isolate. */
const issuerKeys = new IssuerKeys();

export const trustRuleHandlers = {
  listTrustRules: (context, { query, url }) => answerPage(listTrustRules(context, query), url),
  createTrustRule: (context, { body }) =>
    answer(createTrustRule(context, body), ({ id }) => ({ location: `/v1/trust-rules/${id}` })),
  testTrustRules: (context, { body }) => answer(testTrustRules(context, issuerKeys, body)),
  getTrustRule: (context, { params }) => answer(getTrustRule(context, params.trust_rule_id)),
  updateTrustRule: (context, { params, body }) =>
    answer(updateTrustRule(context, params.trust_rule_id, body)),
  deleteTrustRule: (context, { params }) => answer(deleteTrustRule(context, params.trust_rule_id)),
} satisfies Partial<TokenHandlers>;

export const exchangeHandlers = {
  exchangeToken: (context, { body }) => answer(exchangeToken(context, issuerKeys, body)),
} satisfies Partial<OpenHandlers>;
