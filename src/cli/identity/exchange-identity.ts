import { createClientOf } from "#client/client.ts";
import type { Transport } from "#client/request.ts";
import { trustRuleEndpoints } from "#contract/endpoints/trust-rules/endpoints.ts";
import { JWT_TYPE, TOKEN_EXCHANGE } from "#contract/endpoints/trust-rules/schemas.ts";
import { TrustRuleId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { variable } from "#cli/settings/variable.ts";

const TIMEOUT_MS = 30_000;

/** The trust rule of GANTRY_TRUST_RULE. */
export function readTrustRule(environment: NodeJS.ProcessEnv): Result<TrustRuleId | null> {
  const given = variable(environment, "GANTRY_TRUST_RULE");
  if (given === null) return succeed(null);
  const rule = TrustRuleId.safeParse(given);
  return rule.success
    ? succeed(rule.data)
    : stop(
        "usage",
        "GANTRY_TRUST_RULE must be the ID of a trust rule (trust_…). gantry trust list shows it.",
      );
}

/** Exchanges the identity token of a job for a token of the installation. Sends one request. */
export async function exchangeIdentity(
  url: string,
  token: string,
  rule: TrustRuleId | null,
  signal: AbortSignal,
) {
  const transport: Transport = {
    baseUrl: url,
    token: null,
    fetch: (address, init) =>
      fetch(address, {
        ...init,
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        redirect: "manual",
      }),
  };
  return await createClientOf(trustRuleEndpoints, transport).exchangeToken({
    body: {
      grant_type: TOKEN_EXCHANGE,
      subject_token: token,
      subject_token_type: JWT_TYPE,
      ...(rule === null ? {} : { trust_rule_id: rule }),
    },
  });
}
