import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { Provider } from "oidc-provider";

import { listenLocally } from "../listen.ts";
import type { IssuerAnswer } from "./issuer-server.ts";

export const CLIENT = { id: "gantry", secret: "not-a-real-secret", publicId: "gantry-public" } as const;

/** What the provider says of a person, by the login. */
type People = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** `answers`: sent instead of the provider's own, by path. */
type Control = { people: People; answers: Readonly<Record<string, IssuerAnswer>> };

const SCOPES = ["openid", "email", "profile", "groups"];

/**
 * Serves a certified provider of OpenID Connect on a real socket. Who asks for `login_hint=ada` is signed in as ada. `PUT /control`
 * sets the people and the answers that replace its own.
 * @param redirectUris the callbacks that it accepts
 */
export async function serveOpenIdProvider(
  redirectUris: readonly string[],
): Promise<{ readonly url: string; close(): void }> {
  const control: Control = { people: {}, answers: {} };
  let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = async () => {};
  const server = createServer((request, response) => void handle(request, response));
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const provider = new Provider(url, configurationFor(control, redirectUris));
  const ownAnswer = provider.callback();
  handle = async (request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    if (path === "/control") {
      Object.assign(control, JSON.parse(await textOf(request)));
      return void response.end("{}");
    }
    if (path.startsWith("/interaction/")) return await signInAsHinted(provider, request, response);
    const instead = control.answers[path];
    if (instead === undefined) return await ownAnswer(request, response);
    const { status = 200, headers = {}, body, delayMs = 0 } = instead;
    setTimeout(() => response.writeHead(status, headers).end(body), delayMs);
  };
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function configurationFor(control: Control, redirectUris: readonly string[]): object {
  const client = {
    redirect_uris: redirectUris,
    response_types: ["code"],
    grant_types: ["authorization_code"],
  };
  return {
    clients: [
      { ...client, client_id: CLIENT.id, client_secret: CLIENT.secret },
      { ...client, client_id: CLIENT.publicId, token_endpoint_auth_method: "none" },
    ],
    pkce: { required: () => true },
    scopes: SCOPES,
    claims: {
      openid: ["sub", "realm_access"],
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username"],
      groups: ["groups"],
    },
    findAccount: (_context: unknown, id: string) =>
      control.people[id] && { accountId: id, claims: () => ({ sub: id, ...control.people[id] }) },
    // Everybody has agreed before.
    loadExistingGrant: async (context: {
      readonly oidc: {
        readonly provider: Provider;
        readonly session: { readonly accountId: string };
        readonly client: { readonly clientId: string };
      };
    }) => {
      const { provider, session, client: asking } = context.oidc;
      const grant = new provider.Grant({ accountId: session.accountId, clientId: asking.clientId });
      grant.addOIDCScope(SCOPES.join(" "));
      await grant.save();
      return grant;
    },
    interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    cookies: { keys: ["test"] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 120,
      Grant: 600,
      Interaction: 600,
      Session: 600,
    },
  };
}

async function signInAsHinted(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { params } = await provider.interactionDetails(request, response);
  const hint = params["login_hint"];
  const result =
    hint === undefined
      ? { error: "access_denied", error_description: "The person pressed cancel" }
      : { login: { accountId: hint } };
  await provider.interactionFinished(request, response, result);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) if (part instanceof Buffer) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
