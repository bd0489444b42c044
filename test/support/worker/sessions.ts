import { env } from "cloudflare:workers";

import type { AccountId } from "#contract/ids.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { newSecret } from "./account.ts";
import { call } from "./call.ts";

/** Adds a sign-in code to the database, as scripts/shared/sign-in-code.ts does, and returns it. */
export async function createSignInCode(
  accountId: AccountId,
  expiresAt = Date.now() + 600_000,
): Promise<string> {
  const code = newSecret("sign_in");
  await env.DB.prepare("INSERT INTO sign_in_codes (hash, account_id, expires_at) VALUES (?, ?, ?)")
    .bind(await secretHash(code), accountId, expiresAt)
    .run();
  return code;
}

export async function signIn(code: string, headers: Record<string, string> = {}): Promise<Response> {
  return await call("/v1/sessions", { method: "POST", body: { code }, headers });
}

/** Signs in and returns the session. */
export async function createSession(accountId: AccountId): Promise<SessionCreated> {
  return SessionCreated.parse(await (await signIn(await createSignInCode(accountId))).json());
}
