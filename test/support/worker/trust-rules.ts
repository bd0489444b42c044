import {
  ExchangedToken,
  JWT_TYPE,
  TOKEN_EXCHANGE,
  TrustRule,
} from "#contract/endpoints/trust-rules/schemas.ts";
import { call } from "./call.ts";
import type { TestIssuer } from "./issuer.ts";

/** A rule for jobs of the branch `main` of the repository 7 at an issuer, which get `deployments:write`. */
export function ruleOf(issuer: TestIssuer, more: object = {}) {
  return {
    name: "shop, main",
    provider: "gitlab",
    issuer: issuer.url,
    subject: "7",
    claims: { ref_path: ["refs/heads/main"] },
    scopes: ["deployments:write"],
    ...more,
  };
}

/** The claims of a job that `ruleOf` trusts. */
export const job = {
  project_id: "7",
  job_project_id: "7",
  ref_path: "refs/heads/main",
  ref_protected: "true",
  pipeline_source: "push",
  project_path: "acme/shop",
};

export async function createRule(token: string, body: unknown): Promise<TrustRule> {
  const response = await call("/v1/trust-rules", { method: "POST", token, body });
  if (response.status !== 201) throw new Error(await response.text());
  return TrustRule.parse(await response.json());
}

/** The body of an exchange. */
export function exchangeOf(subject_token: string) {
  return { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: JWT_TYPE };
}

/** Sends an identity token to the exchange. */
export const exchange = async (subject_token: string, more: object = {}) =>
  await call("/v1/token-exchange", { method: "POST", body: { ...exchangeOf(subject_token), ...more } });

/** Exchanges an identity token that a rule trusts. @returns the token of the job */
export async function exchanged(subject_token: string): Promise<string> {
  const response = await exchange(subject_token);
  if (response.status !== 200) throw new Error(await response.text());
  return ExchangedToken.parse(await response.json()).access_token;
}
