import { FoundInvitation, type GrantInput, InvitationWithLink } from "#contract/endpoints/members/schemas.ts";
import { Profile } from "#contract/endpoints/profile/schemas.ts";
import { PasskeyChallenge } from "#contract/endpoints/sessions/passkeys.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { allScopes } from "#contract/scopes.ts";
import { type Api, createApi } from "./journey-api.ts";
import { Authenticator } from "./authenticator.ts";

/** A member of an installation on this machine, who is signed in. */
export type Person = {
  readonly id: string;
  readonly name: string;
  /** The secret of their session. */
  readonly token: string;
  readonly api: Api;
};

/** Passkeys do not work at an address with an IP number. */
const byName = (url: string) => url.replace("127.0.0.1", "localhost");

/** A new passkey for a challenge, as the browser sends it. */
async function newPasskey(url: string, { challenge, rp_id: rpId }: PasskeyChallenge) {
  const passkey = await Authenticator.create();
  return await passkey.register({ challenge, origin: byName(url), rpId });
}

async function personOf(url: string, token: string): Promise<Person> {
  const api = createApi(byName(url), token);
  const { member } = Profile.parse((await api.call("GET", "/v1/me")).json);
  return { id: member.id, name: member.name, token, api };
}

/** Makes somebody with the code of a sign-in link the owner of the account. */
export async function becomeOwner(url: string, code: string, name: string): Promise<Person> {
  const anyone = createApi(byName(url), "");
  const { token } = SessionCreated.parse((await anyone.call("POST", "/v1/sessions", { code })).json);
  const api = createApi(byName(url), token);
  const asked = await api.call("POST", "/v1/session/challenge", { act: "add_passkey" });
  const passkey = await newPasskey(url, PasskeyChallenge.parse(asked.json));
  const made = await api.call("POST", "/v1/owner", { name, passkey, passkey_name: "Laptop" });
  if (made.status !== 201) throw new Error(made.text);
  return await personOf(url, token);
}

/** A service token with all scopes, which an owner makes: the first token of an installation cannot invite people. */
export async function fullToken({ api }: Person): Promise<string> {
  const made = await api.call("POST", "/v1/tokens", { name: "full", scopes: allScopes });
  return TokenWithSecret.parse(made.json).token;
}

/** Accepts an invitation. */
export async function acceptInvitation(link: string, name: string): Promise<Person> {
  const { origin, hash } = new URL(link);
  const code = hash.slice("#code=".length);
  const anyone = createApi(byName(origin), "");
  const found = await anyone.call("POST", "/v1/invitations/look-up", { code });
  const passkey = await newPasskey(origin, FoundInvitation.parse(found.json).challenge);
  const body = { code, name, passkey, passkey_name: "Laptop" };
  const accepted = await anyone.call("POST", "/v1/invitations/accept", body);
  if (accepted.status !== 201) throw new Error(accepted.text);
  return await personOf(origin, SessionCreated.parse(accepted.json).token);
}

/** Adds a member with these grants. @param by a token that may invite */
export async function addMember(
  url: string,
  by: string,
  grants: readonly Partial<GrantInput>[],
  name: string,
): Promise<Person> {
  const invited = await createApi(byName(url), by).call("POST", "/v1/invitations", { grants });
  return await acceptInvitation(InvitationWithLink.parse(invited.json).link, name);
}
