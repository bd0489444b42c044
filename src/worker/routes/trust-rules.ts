import { trustRuleEndpoints } from "#contract/endpoints/trust-rules/endpoints.ts";
import { forAnyone, forTokens } from "#worker/http/routes.ts";
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

export const trustRuleRoutes = forTokens(trustRuleEndpoints, {
  listTrustRules: (context, { query, url }) => answerPage(listTrustRules(context, query), url),
  createTrustRule: (context, { body }) =>
    answer(createTrustRule(context, body), ({ id }) => ({ location: `/v1/trust-rules/${id}` })),
  testTrustRules: (context, { body }) => answer(testTrustRules(context, issuerKeys, body)),
  getTrustRule: (context, { params }) => answer(getTrustRule(context, params.trust_rule_id)),
  updateTrustRule: (context, { params, body }) =>
    answer(updateTrustRule(context, params.trust_rule_id, body)),
  deleteTrustRule: (context, { params }) => answer(deleteTrustRule(context, params.trust_rule_id)),
});

export const exchangeRoutes = forAnyone(trustRuleEndpoints, {
  exchangeToken: (context, { body }) => answer(exchangeToken(context, issuerKeys, body)),
});
