import { readAll } from "#client/read-all.ts";
import { trustRuleEndpoints } from "#contract/endpoints/trust-rules/endpoints.ts";
import { MAX_TRUST_RULES } from "#contract/endpoints/trust-rules/schemas.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { POLL_MS, resources } from "#dashboard/data/resource.ts";

export const trustApi = clientOf(trustRuleEndpoints);

/** All trust rules of the account. */
export const useTrustRules = resources(
  () =>
    readAll(
      (request) => trustApi.listTrustRules(request),
      ({ trust_rules: rules }) => rules,
      MAX_TRUST_RULES,
    ),
  POLL_MS,
  "trust_rule",
);
