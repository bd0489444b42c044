import * as oauth from "oauth4webapi";
import * as z from "zod/mini";

import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { isAddress } from "#domain/sign-in/provider-person.ts";
import type {
  Answered,
  Asked,
  NamedPerson,
  ProviderConnection,
  Reach,
} from "#worker/identity/providers/provider-exchange.ts";
import {
  attempt,
  type ProviderProblem,
  refuseErrorBody,
} from "#worker/identity/providers/provider-errors.ts";
import { addressProblem, fetchProvider, ProviderFault } from "#worker/identity/providers/provider-fetch.ts";

// GitHub is no provider of OpenID Connect for people: it gives no identity token, and answers errors with status 200. Sources: GitHub,
// "Authorizing OAuth apps" and the REST API.

const User = z.object({
  id: z.int(),
  login: z.string(),
  name: z.optional(z.nullable(z.string())),
});
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const Organizations = z.array(z.object({ id: z.int(), login: z.string() }));

/** The address of the API of a GitHub. Sources: GitHub Enterprise Server, and GitHub Enterprise Cloud with data residency. */
function apiOf(issuer: string): string {
  const { protocol, host, hostname } = new URL(issuer);
  if (hostname === "github.com" || hostname.endsWith(".ghe.com")) return `${protocol}//api.${host}`;
  return `${issuer.replace(/\/$/, "")}/api/v3`;
}

function serverOf({ issuer }: ProviderConnection): oauth.AuthorizationServer {
  const base = `${issuer.replace(/\/$/, "")}/login/oauth`;
  return { issuer, authorization_endpoint: `${base}/authorize`, token_endpoint: `${base}/access_token` };
}

/** Where a sign-in continues at GitHub. It cannot be told to ask somebody to sign in again. */
export async function gitHubUrl(
  connection: ProviderConnection,
  { state, verifier, redirectUri, askingFor }: Asked,
  { targetProblem }: Reach,
): Promise<ResultOf<string, ProviderProblem>> {
  const problem = addressProblem(connection.issuer, targetProblem);
  if (problem !== null) return { ok: false, problem, isTemporary: false };
  const url = new URL(`${connection.issuer.replace(/\/$/, "")}/login/oauth/authorize`);
  const parameters = {
    client_id: connection.clientId,
    redirect_uri: redirectUri,
    scope: connection.scopes.join(" "),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(askingFor === "sign_in" ? {} : { prompt: "select_account" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return succeed(url.href);
}

/** Verifies the answer of GitHub, exchanges its code, and asks who it is. */
export async function gitHubPerson(
  connection: ProviderConnection,
  answered: Answered,
  reach: Reach,
): Promise<ResultOf<NamedPerson, ProviderProblem>> {
  return await attempt(async () => {
    const token = await accessToken(connection, answered, reach);
    const api = apiOf(connection.issuer);
    const user = await readApi(User, `${api}/user`, token, reach);
    if (user === null) throw new ProviderFault(`${api}/user does not say who has signed in.`);
    const [emails, organizations] = await Promise.all([
      readApi(Emails, `${api}/user/emails`, token, reach),
      readApi(Organizations, `${api}/user/orgs?per_page=100`, token, reach),
    ]);
    const found = emails?.find(({ primary, verified }) => primary && verified)?.email.toLowerCase() ?? null;
    const email = found !== null && isAddress(found) ? found : null;
    return {
      person: {
        subject: String(user.id),
        name: user.name ?? user.login,
        label: user.login,
        email,
        // Numbers, because somebody else can take the name of an organization that was renamed.
        groups: organizations?.map(({ id }) => String(id)) ?? null,
      },
      claims: {
        ...user,
        ...(email !== null && { email }),
        ...(organizations !== null && {
          organizations: organizations.map(({ id, login }) => `${login} (${id})`),
        }),
      },
      signOutUrl: null,
    };
  });
}

async function accessToken(
  connection: ProviderConnection,
  { query, state, verifier, redirectUri }: Answered,
  { targetProblem }: Reach,
): Promise<string> {
  const server = serverOf(connection);
  const client = { client_id: connection.clientId };
  const parameters = oauth.validateAuthResponse(server, client, query, state);
  const authentication =
    connection.clientSecret === null ? oauth.None() : oauth.ClientSecretPost(connection.clientSecret);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    redirectUri,
    verifier,
    {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (address, { method, headers, body }) =>
        fetchProvider(address, { method, headers, body }, targetProblem),
    },
  );
  await refuseErrorBody(response);
  return (await oauth.processAuthorizationCodeResponse(server, client, response)).access_token;
}

/** @returns null if the token lacks the scope for it */
async function readApi<Schema extends z.ZodMiniType>(
  schema: Schema,
  address: string,
  token: string,
  { targetProblem }: Reach,
): Promise<z.output<Schema> | null> {
  const headers = {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    // GitHub refuses requests without it.
    "user-agent": "gantry",
  };
  const answer = await fetchProvider(address, { headers }, targetProblem);
  if (answer.status === 403 || answer.status === 404) return null;
  const parsed = schema.safeParse(answer.status === 200 ? parseJson(await answer.text()) : undefined);
  if (!parsed.success)
    throw new ProviderFault(
      `${address} answers with status ${answer.status} and something else than expected.`,
    );
  return parsed.data;
}
