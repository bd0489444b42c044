import { type Token, TokenRows, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { call } from "./call.ts";

/** Sends a request for a new token, by default for a token that can only list tokens. */
export async function askForToken(asking: string, body: Record<string, unknown> = {}): Promise<Response> {
  const wanted = { name: "CI", scopes: ["tokens:read"], ...body };
  return await call("/v1/tokens", { method: "POST", token: asking, body: wanted });
}

export async function makeToken(
  asking: string,
  body: Record<string, unknown> = {},
): Promise<TokenWithSecret> {
  return TokenWithSecret.parse(await (await askForToken(asking, body)).json());
}

export async function listTokens(asking: string, query = ""): Promise<TokenRows> {
  return TokenRows.parse(await (await call(`/v1/tokens${query}`, { token: asking })).json());
}

/** The token in its account's list. */
export async function tokenOf(asking: string, id: string): Promise<Token | undefined> {
  return (await listTokens(asking)).tokens.find((token) => token.id === id);
}

/** @param headers such as an Idempotency-Key */
export async function askToRotate(
  asking: string,
  id: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await call(`/v1/tokens/${id}/rotate`, { method: "POST", token: asking, headers });
}

export async function rotate(asking: string, id: string): Promise<TokenWithSecret> {
  return TokenWithSecret.parse(await (await askToRotate(asking, id)).json());
}

export async function revoke(asking: string, id: string): Promise<Response> {
  return await call(`/v1/tokens/${id}`, { method: "DELETE", token: asking });
}

/** Whether a secret is accepted. */
export async function works(secret: string): Promise<boolean> {
  return (await call("/v1/account", { token: secret })).status === 200;
}
