import { FoundInvitation, type GrantInput, InvitationWithLink } from "#contract/endpoints/members/schemas.ts";
import { Profile } from "#contract/endpoints/profile/schemas.ts";
import { PasskeyChallenge } from "#contract/endpoints/sessions/passkeys.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import type { MemberId, TokenId } from "#contract/ids.ts";
import { type TestAccount } from "./account.ts";
import { Authenticator } from "../authenticator.ts";
import { call, ORIGIN } from "./call.ts";
import { createSession } from "./sessions.ts";

/** A member who is signed in. `token`: the secret of the session. */
export type Person = {
  readonly id: MemberId;
  readonly name: string;
  readonly token: string;
  readonly tokenId: TokenId;
  readonly passkey: Authenticator;
};

const ceremonyOf = ({ challenge, rp_id: rpId }: PasskeyChallenge) => ({ challenge, origin: ORIGIN, rpId });

/** Asks for a challenge as a page does, and parses the answer. */
export async function challengeFor(token: string, act: "add_passkey" | "confirm"): Promise<PasskeyChallenge> {
  const response = await call("/v1/session/challenge", { method: "POST", token, body: { act } });
  return PasskeyChallenge.parse(await response.json());
}

/** A new passkey for a challenge, as the browser sends it. */
export async function newPasskey(challenge: PasskeyChallenge) {
  const passkey = await Authenticator.create();
  return { passkey, sent: await passkey.register(ceremonyOf(challenge)) };
}

/** Signs in with a passkey. */
export async function signInWith(passkey: Authenticator, signCount = 0): Promise<Response> {
  const asked = await call("/v1/sign-in/challenge", { method: "POST", body: {} });
  const sent = await passkey.sign(ceremonyOf(PasskeyChallenge.parse(await asked.json())), { signCount });
  return await call("/v1/sessions", { method: "POST", body: { passkey: sent } });
}

/** The answer of a person's passkey to a challenge that confirms their session. */
export async function confirmationBy({ token, passkey }: Pick<Person, "token" | "passkey">) {
  return await passkey.sign(ceremonyOf(await challengeFor(token, "confirm")));
}

/** Confirms the session of a person with their passkey. */
export async function confirm(person: Pick<Person, "token" | "passkey">): Promise<Response> {
  const body = { passkey: await confirmationBy(person) };
  return await call("/v1/session/confirm", { method: "POST", token: person.token, body });
}

/** Makes somebody with a sign-in link the owner. */
export async function createOwner(account: Pick<TestAccount, "id">, name = "Ada"): Promise<Person> {
  const { id: tokenId, token } = await createSession(account.id);
  const { passkey, sent } = await newPasskey(await challengeFor(token, "add_passkey"));
  const body = { name, passkey: sent, passkey_name: "Laptop" };
  const response = await call("/v1/owner", { method: "POST", token, body });
  if (response.status !== 201) throw new Error(await response.text());
  return { ...(await personOf(token)), tokenId, token, passkey };
}

/** The member of a session. */
export async function personOf(token: string): Promise<Pick<Person, "id" | "name">> {
  const { member } = Profile.parse(await (await call("/v1/me", { token })).json());
  return { id: member.id, name: member.name };
}

/** Invites somebody. @returns the code of the link */
export async function invite(
  token: string,
  grants: readonly Partial<GrantInput>[],
  more: object = {},
): Promise<string> {
  const response = await call("/v1/invitations", { method: "POST", token, body: { grants, ...more } });
  if (response.status !== 201) throw new Error(await response.text());
  const { link } = InvitationWithLink.parse(await response.json());
  return new URL(link).hash.slice("#code=".length);
}

async function lookUp(code: string): Promise<Response> {
  return await call("/v1/invitations/look-up", { method: "POST", body: { code } });
}

/** What a person with a new passkey sends to accept an invitation. @param found the answer to `lookUp` */
async function acceptance(found: Response, code: string, name: string) {
  const { challenge } = FoundInvitation.parse(await found.json());
  const { passkey, sent } = await newPasskey(challenge);
  return { passkey, body: { code, name, passkey: sent, passkey_name: "Laptop" } };
}

/** What a person with a new passkey sends to accept an open invitation. */
export async function acceptanceOf(code: string, name: string) {
  return (await acceptance(await lookUp(code), code, name)).body;
}

/** Accepts an invitation. */
export async function accept(
  code: string,
  name: string,
): Promise<{ readonly response: Response; readonly passkey: Authenticator }> {
  const found = await lookUp(code);
  if (!found.ok) return { response: found, passkey: await Authenticator.create() };
  const { passkey, body } = await acceptance(found, code, name);
  return { response: await call("/v1/invitations/accept", { method: "POST", body }), passkey };
}

/** Adds a member with these grants, who is signed in. @param by the token that invites */
export async function addMember(
  by: string,
  grants: readonly Partial<GrantInput>[],
  name = "Grace",
): Promise<Person> {
  const { response, passkey } = await accept(await invite(by, grants), name);
  if (response.status !== 201) throw new Error(await response.text());
  const { id: tokenId, token } = SessionCreated.parse(await response.json());
  return { ...(await personOf(token)), tokenId, token, passkey };
}
