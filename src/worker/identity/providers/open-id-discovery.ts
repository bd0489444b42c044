import * as z from "zod/mini";

import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { isEntra } from "#domain/sign-in/provider-person.ts";
import {
  addressProblem,
  fetchProvider,
  ProviderFault,
  type TargetProblem,
} from "#worker/identity/providers/provider-fetch.ts";

// Source: OpenID Connect Discovery 1.0.

const WELL_KNOWN = "/.well-known/openid-configuration";

const texts = z.optional(z.array(z.string()));

/** What a provider says of itself, as far as it is used here. */
export const ProviderMetadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.optional(z.string()),
  end_session_endpoint: z.optional(z.string()),
  code_challenge_methods_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  id_token_signing_alg_values_supported: texts,
  authorization_response_iss_parameter_supported: z.optional(z.boolean()),
});
export type ProviderMetadata = z.infer<typeof ProviderMetadata>;

const endpointNames = [
  "authorization_endpoint",
  "token_endpoint",
  "jwks_uri",
  "userinfo_endpoint",
  "end_session_endpoint",
] as const;

/** `isTemporary`: the provider does not answer, so a later try can succeed. `problem`: a sentence. */
export type DiscoveryProblem = { readonly problem: string; readonly isTemporary: boolean };

type Discovered = ResultOf<ProviderMetadata, DiscoveryProblem>;

const ENTRA_HINT =
  "Enter https://login.microsoftonline.com/TENANT/v2.0, with the directory (tenant) ID from the overview of your Entra directory in place of TENANT";

/** The address that a person means who copied the address of the configuration. */
export function issuerOf(given: string): string {
  return given.replace(/\/\.well-known\/openid-configuration\/?$/, "");
}

/**
 * Reads what a provider says of itself. A slash at the end of the issuer does not count here: `issuer` in the result is as the provider
 * writes it, which its tokens do too.
 */
export async function discover(issuer: string, targetProblem: TargetProblem): Promise<Discovered> {
  const url = new URL(issuer);
  if (isEntra(url.hostname) && /^\/(?:common|organizations|consumers)(?:\/|$)/.test(url.pathname))
    return failed(
      `This address of Microsoft Entra is for all its customers, so it has no issuer. ${ENTRA_HINT}.`,
    );
  const address = `${issuer.replace(/\/+$/, "")}${WELL_KNOWN}`;
  const read = await readConfiguration(address, targetProblem);
  if (!read.ok) return read;
  const parsed = ProviderMetadata.safeParse(read.value);
  if (!parsed.success)
    return failed(
      `${address} is not the configuration of a provider of OpenID Connect: it lacks ${lacking(parsed.error)}.`,
    );
  const problem = problemOfMetadata(parsed.data, url, targetProblem);
  return problem === null ? succeed(parsed.data) : failed(problem);
}

async function readConfiguration(
  address: string,
  targetProblem: TargetProblem,
): Promise<ResultOf<unknown, DiscoveryProblem>> {
  try {
    const answer = await fetchProvider(address, { headers: { accept: "application/json" } }, targetProblem);
    if (answer.status !== 200)
      return failed(
        `${address} answers with status ${answer.status}. Enter the address of the provider that comes before ${WELL_KNOWN}.`,
      );
    const found = parseJson(await answer.text());
    return found === null
      ? failed(
          `${address} answers with something that is not JSON. Enter the address of the provider itself.`,
        )
      : succeed(found);
  } catch (error) {
    if (error instanceof ProviderFault) return { ok: false, problem: error.message, isTemporary: true };
    throw error;
  }
}

function lacking({ issues }: z.core.$ZodError): string {
  return issues.map(({ path }) => path.join(".") || "its fields").join(", ");
}

function problemOfMetadata(
  metadata: ProviderMetadata,
  asked: URL,
  targetProblem: TargetProblem,
): string | null {
  const { issuer } = metadata;
  if (issuer.includes("{tenantid}"))
    return `The provider writes its issuer as ${issuer}, which is for all customers of Microsoft Entra. ${ENTRA_HINT}.`;
  if (withoutSlash(issuer) !== withoutSlash(asked.href))
    return isEntra(asked.hostname)
      ? `The provider calls itself ${issuer}, which is the old version of Microsoft Entra. ${ENTRA_HINT}.`
      : `The provider at this address calls itself ${issuer}. Enter that address.`;
  for (const name of endpointNames) {
    const endpoint = metadata[name];
    const problem = endpoint === undefined ? null : addressProblem(endpoint, targetProblem);
    if (problem !== null) return `The provider's ${name} cannot be used. ${problem}`;
  }
  const methods = metadata.code_challenge_methods_supported;
  if (methods !== undefined && !methods.includes("S256"))
    return "The provider does not support PKCE with S256, which is required. Turn it on at the provider.";
  return null;
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}

function failed(problem: string): { readonly ok: false } & DiscoveryProblem {
  return { ok: false, problem, isTemporary: false };
}
