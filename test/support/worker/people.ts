import { env } from "cloudflare:workers";
import * as z from "zod/mini";

import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { AccountId, type MemberId } from "#contract/ids.ts";
import { allScopes } from "#contract/scopes.ts";
import { createToken } from "./account.ts";
import { call } from "./call.ts";
import { addMember, createOwner } from "./members.ts";
import { makeToken } from "./tokens.ts";

/** A member with the secrets of a session, a personal token, and a service token that the member has created. */
export type PersonWithTokens = {
  readonly id: MemberId;
  readonly name: string;
  readonly session: string;
  readonly personalToken: string;
  readonly serviceToken: string;
};

/** Makes Ada the owner of a project's account, and Bob an admin. */
export async function addPeople(project: {
  readonly id: string;
}): Promise<{ readonly ada: PersonWithTokens; readonly bob: PersonWithTokens }> {
  const owner = await createOwner({ id: await accountOf(project) }, "Ada");
  const admin = await addMember(owner.token, [{ role: "admin" }], "Bob");
  return { ada: await withTokens(owner), bob: await withTokens(admin) };
}

async function withTokens({
  id,
  name,
  token: session,
}: Awaited<ReturnType<typeof addMember>>): Promise<PersonWithTokens> {
  const body = { name: "laptop", scopes: allScopes };
  const own = await call("/v1/me/tokens", { method: "POST", token: session, body });
  const { token: personalToken } = TokenWithSecret.parse(await own.json());
  const { token: serviceToken } = await makeToken(session, { scopes: allScopes });
  return { id, name, session, personalToken, serviceToken };
}

/** A service token of the project's account that no member has created. */
export async function oldToken(project: { readonly id: string }): Promise<string> {
  return (await createToken(await accountOf(project), { name: "old" })).secret;
}

async function accountOf({ id }: { readonly id: string }): Promise<AccountId> {
  const found = await env.DB.prepare("SELECT account_id FROM projects WHERE id = ?").bind(id).first();
  return z.object({ account_id: AccountId }).parse(found).account_id;
}
