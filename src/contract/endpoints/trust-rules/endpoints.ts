import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, patch, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/trust-rules/schemas.ts";
import { TrustRuleId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const TrustRuleParams = z.strictObject({ trust_rule_id: TrustRuleId });

export const trustRuleEndpoints = {
  listTrustRules: {
    ...get("/v1/trust-rules", token("tokens:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.TrustRuleRows },
  },
  createTrustRule: {
    ...post("/v1/trust-rules", token("tokens:write")),
    body: schemas.CreateTrustRuleInput,
    success: { status: 201, body: schemas.TrustRule },
    problems: ["too_many", "reauthentication_required"],
  },
  testTrustRules: {
    ...post("/v1/trust-rules/test", token("tokens:read")),
    body: schemas.TestTrustRulesInput,
    success: { status: 200, body: schemas.TrustTest },
  },
  getTrustRule: {
    ...get("/v1/trust-rules/:trust_rule_id", token("tokens:read")),
    params: TrustRuleParams,
    success: { status: 200, body: schemas.TrustRule },
  },
  updateTrustRule: {
    ...patch("/v1/trust-rules/:trust_rule_id", token("tokens:write")),
    params: TrustRuleParams,
    body: schemas.UpdateTrustRuleInput,
    success: { status: 200, body: schemas.TrustRule },
    problems: ["reauthentication_required"],
  },
  deleteTrustRule: {
    ...remove("/v1/trust-rules/:trust_rule_id", token("tokens:write")),
    params: TrustRuleParams,
    success: { status: 204, body: null },
  },
  exchangeToken: {
    ...post("/v1/token-exchange", { by: "none" }),
    body: schemas.ExchangeTokenInput,
    isOAuth: true,
    success: { status: 200, body: schemas.ExchangedToken },
    problems: ["invalid_identity_token", "rate_limited"],
  },
} as const satisfies Record<string, Endpoint>;
