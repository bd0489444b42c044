import * as oauth from "oauth4webapi";

import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { type Claims, personOfClaims } from "#domain/sign-in/provider-person.ts";
import type { OpenIdConfigurations } from "#worker/identity/providers/open-id-configurations.ts";
import type { ProviderMetadata } from "#worker/identity/providers/open-id-discovery.ts";
import type {
  Answered,
  Asked,
  AskingFor,
  NamedPerson,
  ProviderConnection,
  Reach,
} from "#worker/identity/providers/provider-exchange.ts";
import {
  attempt,
  isAboutKeys,
  type ProviderProblem,
  refuseErrorBody,
} from "#worker/identity/providers/provider-errors.ts";
import { fetchProvider } from "#worker/identity/providers/provider-fetch.ts";

// Sources: OpenID Connect Core 1.0, RFC 7636 (PKCE), RFC 9207 (the issuer in the answer).

/** How far the clock of a provider may differ. */
const CLOCK_TOLERANCE_S = 60;

/** How long ago somebody may have signed in at the provider to confirm that it is them. */
const FRESH_S = 5 * 60;

/** Where a sign-in continues at a provider of OpenID Connect. */
export async function openIdUrl(
  configurations: OpenIdConfigurations,
  connection: ProviderConnection,
  asked: Asked,
  reach: Reach,
): Promise<ResultOf<string, ProviderProblem>> {
  const found = await configurations.of(connection.issuer, reach);
  if (!found.ok) return found;
  const url = new URL(found.value.metadata.authorization_endpoint);
  const parameters = {
    client_id: connection.clientId,
    redirect_uri: asked.redirectUri,
    response_type: "code",
    scope: connection.scopes.join(" "),
    state: asked.state,
    nonce: asked.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(asked.verifier),
    code_challenge_method: "S256",
    ...promptOf(asked.askingFor),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return succeed(url.href);
}

function promptOf(askingFor: AskingFor): Readonly<Record<string, string>> {
  switch (askingFor) {
    case "sign_in":
      return {};
    case "confirmation":
      return { prompt: "login", max_age: "0" };
    case "another_person":
      return { prompt: "select_account" };
  }
}

/** Verifies the answer of a provider of OpenID Connect, and exchanges its code. */
export async function openIdPerson(
  configurations: OpenIdConfigurations,
  connection: ProviderConnection,
  answered: Answered,
  reach: Reach,
): Promise<ResultOf<NamedPerson, ProviderProblem>> {
  const found = await configurations.of(connection.issuer, reach);
  if (!found.ok) return found;
  const { metadata, keys } = found.value;
  const read = await attempt(() => readClaims({ metadata, keys, connection, reach }, answered));
  if (!read.ok) return read;
  const claims = read.value;
  const problem = answered.askingFor === "confirmation" ? problemOfAge(claims, reach.now) : null;
  if (problem !== null) return refused(problem);
  const { issuer, groupsClaim } = connection;
  const person = personOfClaims(claims, { issuer, host: new URL(issuer).hostname, groupsClaim });
  if (person === null) return refused("The provider's identity token has no subject (sub).");
  return succeed({ person, claims, signOutUrl: signOutUrl(metadata, connection) });
}

/** A person whom the provider knows from before does not confirm anything. Some providers do not say when it was. */
function problemOfAge({ auth_time: at }: Claims, now: number): string | null {
  const isOld = typeof at === "number" && at < now / 1_000 - FRESH_S;
  return isOld
    ? "The provider did not ask you to sign in again. Sign out there, and try again, or use a passkey."
    : null;
}

type Exchange = {
  readonly metadata: ProviderMetadata;
  readonly keys: oauth.JWKSCacheInput;
  readonly connection: ProviderConnection;
  readonly reach: Reach;
};

async function readClaims(exchange: Exchange, answered: Answered): Promise<Claims> {
  const { connection, keys, reach } = exchange;
  // A copy: the library keeps requests by this object, and workerd refuses to await requests of other callers.
  const server = serverOf(exchange.metadata);
  const client = { client_id: connection.clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_S };
  const options = optionsFor(reach);
  const parameters = oauth.validateAuthResponse(server, client, answered.query, answered.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authenticationFor(connection, exchange.metadata),
    parameters,
    answered.redirectUri,
    answered.verifier,
    options,
  );
  await refuseErrorBody(response);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: answered.nonce,
    requireIdToken: true,
  });
  await verifySignature(server, response, { ...options, [oauth.jwksCache]: keys });
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new Error("a required identity token is missing");
  if (!needsUserInfo(claims, exchange)) return claims;
  const info = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  return merged(claims, await oauth.processUserInfoResponse(server, client, claims.sub, info));
}

// An overload, because the library's type tells a missing field from an undefined one.
function serverOf(metadata: ProviderMetadata): oauth.AuthorizationServer;
function serverOf(metadata: ProviderMetadata): object {
  return { ...metadata };
}

type SignatureOptions = oauth.ValidateSignatureOptions & { readonly [oauth.jwksCache]: oauth.JWKSCacheInput };

/** The token comes from the provider itself, so an unknown key is a new one: the keys are read again, once. */
async function verifySignature(
  server: oauth.AuthorizationServer,
  response: Response,
  options: SignatureOptions,
): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(server, response, options);
  } catch (error) {
    if (!isAboutKeys(error)) throw error;
    const fresh: oauth.JWKSCacheInput = {};
    await oauth.validateApplicationLevelSignature({ ...server }, response, {
      ...options,
      [oauth.jwksCache]: fresh,
    });
    Object.assign(options[oauth.jwksCache], fresh);
  }
}

function authenticationFor(
  { clientSecret }: ProviderConnection,
  { token_endpoint_auth_methods_supported: methods }: ProviderMetadata,
): oauth.ClientAuth {
  if (clientSecret === null) return oauth.None();
  return methods?.includes("client_secret_basic") === false
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

/** Many providers tell only this endpoint the address and the groups. */
function needsUserInfo(claims: Claims, { metadata, connection }: Exchange): boolean {
  const [groups = ""] = connection.groupsClaim.split(".");
  const wanted = ["email", "email_verified", "name"];
  const isMissing = (name: string) => claims[name] === undefined;
  return (
    metadata.userinfo_endpoint !== undefined &&
    (wanted.some(isMissing) || (isMissing(groups) && isMissing(connection.groupsClaim)))
  );
}

/** The identity token counts more. An address and whether it is verified must be from one source. */
function merged(claims: Claims, info: Claims): Claims {
  const { email, email_verified } = "email" in claims && "email_verified" in claims ? claims : info;
  return { ...info, ...claims, email, email_verified };
}

function optionsFor({ targetProblem }: Reach) {
  return {
    // `fetchProvider` decides which addresses may be asked.
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (
      address: string,
      sent: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
    ) =>
      fetchProvider(address, { method: sent.method, headers: sent.headers, body: sent.body }, targetProblem),
  };
}

function signOutUrl({ end_session_endpoint: endpoint }: ProviderMetadata, connection: ProviderConnection) {
  if (endpoint === undefined) return null;
  const url = new URL(endpoint);
  url.searchParams.set("client_id", connection.clientId);
  return url.href;
}

function refused(problem: string): { readonly ok: false } & ProviderProblem {
  return { ok: false, problem, isTemporary: false };
}
