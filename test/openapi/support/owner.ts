import { InvitationWithLink } from "#contract/endpoints/members/schemas.ts";
import { Profile } from "#contract/endpoints/profile/schemas.ts";
import { PasskeyChallenge } from "#contract/endpoints/sessions/passkeys.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { Authenticator } from "../../support/authenticator.ts";
import { acceptInvitation } from "../../support/people.ts";

/** What the owner has made. Ids of everything are in it, and the codes of invitations. */
type Made = { readonly text: string; readonly invitationCode: string };

/** The owner of an account, who signs in with a passkey. */
export class Owner {
  readonly #url: string;
  readonly #passkey: Authenticator;
  /** The ids that no request may change: of the owner, the passkey and the newest session. */
  readonly kept = new Set<string>();
  #token = "";

  private constructor(url: string, passkey: Authenticator) {
    this.#url = url;
    this.#passkey = passkey;
  }

  /** The secret of the newest session. */
  get token(): string {
    return this.#token;
  }

  /** Makes somebody with a sign-in link the owner. @param url by a host name, to which passkeys belong */
  static async join(url: string, code: string): Promise<Owner> {
    const owner = new Owner(url, await Authenticator.create());
    owner.#token = SessionCreated.parse(await owner.#post("/v1/sessions", { code })).token;
    const body = { name: "Ada", passkey: await owner.#register(owner.#passkey), passkey_name: "Laptop" };
    await owner.#post("/v1/owner", body);
    const profile = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${owner.#token}` } });
    const { member, passkeys } = Profile.parse(await profile.json());
    for (const { id } of [member, ...passkeys]) owner.kept.add(id);
    return owner;
  }

  /** Signs in again: requests may have ended the session, and it counts as confirmed for ten minutes only. */
  async signIn(): Promise<void> {
    const { challenge, rp_id: rpId } = PasskeyChallenge.parse(await this.#post("/v1/sign-in/challenge", {}));
    const passkey = await this.#passkey.sign({ challenge, origin: this.#url, rpId });
    const session = SessionCreated.parse(await this.#post("/v1/sessions", { passkey }));
    this.#token = session.token;
    this.kept.add(session.id);
  }

  /** Makes a member, an invitation and a personal token. */
  async makeSome(): Promise<Made> {
    const grants = [{ role: "viewer" }];
    const invited = InvitationWithLink.parse(await this.#post("/v1/invitations", { grants }));
    const member = await acceptInvitation(invited.link, "Grace");
    const open = InvitationWithLink.parse(await this.#post("/v1/invitations", { grants }));
    const token = await this.#post("/v1/me/tokens", { name: "spare", scopes: ["tokens:read"] });
    const code = new URL(open.link).hash.slice("#code=".length);
    return { text: JSON.stringify([member.id, open.id, token]), invitationCode: code };
  }

  /** Adds a passkey. @returns the response */
  async addPasskey(): Promise<string> {
    const passkey = await this.#register(await Authenticator.create());
    return JSON.stringify(await this.#post("/v1/me/passkeys", { name: "Phone", passkey }));
  }

  /** Adds a way to sign in by GitHub, which needs no provider here until somebody uses it. @returns the response */
  async addConnection(): Promise<string> {
    const connection = { kind: "github", name: "GitHub", client_id: "gantry", client_secret: "secret" };
    return JSON.stringify(await this.#post("/v1/connections", connection));
  }

  async #register(passkey: Authenticator) {
    const asked = await this.#post("/v1/session/challenge", { act: "add_passkey" });
    const { challenge, rp_id: rpId } = PasskeyChallenge.parse(asked);
    return await passkey.register({ challenge, origin: this.#url, rpId });
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(this.#url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(this.#token === "" ? {} : { authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  }
}
