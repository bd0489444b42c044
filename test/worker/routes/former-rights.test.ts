import { beforeEach, describe, expect, it } from "vitest";

import { RecoveryCodes } from "#contract/endpoints/profile/schemas.ts";
import type { GrantInput } from "#contract/endpoints/members/schemas.ts";
import { createAccount } from "../../support/worker/account.ts";
import { beforeWrite } from "../../support/worker/before-write.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import {
  accept,
  addMember,
  challengeFor,
  createOwner,
  invite,
  newPasskey,
  type Person,
} from "../../support/worker/members.ts";
import { createRule } from "../../support/worker/trust-rules.ts";
import { makeToken, revoke, tokenOf } from "../../support/worker/tokens.ts";

// What people leave behind who lose rights, also in a request that was authenticated before.

let ada: Person;
let grace: Person;

beforeEach(async () => {
  ada = await createOwner(await createAccount());
  grace = await addMember(ada.token, [{ role: "admin" }]);
});

const post = async (path: string, token: string, body: object) =>
  await call(path, { method: "POST", token, body });

async function change({ id }: Person, by: string, body: object): Promise<Response> {
  return await call(`/v1/members/${id}`, { method: "PATCH", token: by, body });
}

async function remove({ id }: Person, by: string): Promise<Response> {
  return await call(`/v1/members/${id}`, { method: "DELETE", token: by });
}

async function outcomeOf(response: Response): Promise<string> {
  return response.ok ? "done" : (await problemOf(response)).code;
}

const asViewer: readonly Partial<GrantInput>[] = [{ role: "viewer" }];

describe("an invitation", () => {
  it("ends when the member who made it is removed or may no longer give its roles", async () => {
    const joan = await addMember(ada.token, [{ role: "admin" }], "Joan");
    const codes = [
      await invite(grace.token, [{ role: "admin" }]),
      await invite(joan.token, [{ role: "admin" }]),
    ];
    await remove(grace, ada.token);
    await change(joan, ada.token, { grants: asViewer });
    for (const code of codes)
      expect(await outcomeOf((await accept(code, "Eve")).response)).toBe("invalid_token");
    const listed = await call("/v1/invitations", { token: ada.token });
    expect(await listed.json()).toMatchObject({ invitations: [] });
  });

  it("stays when the member who made it gets more rights or another name", async () => {
    const code = await invite(grace.token, asViewer);
    await change(grace, ada.token, { name: "Grace H." });
    await change(grace, ada.token, { is_owner: true });
    expect((await accept(code, "Joan")).response.status).toBe(201);
  });
});

describe("a member who is removed or demoted at this moment", () => {
  const losing = {
    removed: async () => await remove(grace, ada.token),
    demoted: async () => await change(grace, ada.token, { grants: asViewer }),
  };

  it.each(Object.entries(losing))("(%s) creates no service token", async (_, lose) => {
    const service = { name: "CI", scopes: ["deployments:write"] };
    beforeWrite('insert into "tokens"', lose);
    expect(await outcomeOf(await post("/v1/tokens", grace.token, service))).toBe("insufficient_scope");
    const { tokens } = await (await call("/v1/tokens", { token: ada.token })).json<{ tokens: object[] }>();
    expect(tokens.filter((token) => "kind" in token && token.kind === "token")).toHaveLength(1);
  });

  it("invites nobody", async () => {
    beforeWrite('insert into "invitations"', losing.removed);
    const invited = await post("/v1/invitations", grace.token, { grants: asViewer });
    expect(await outcomeOf(invited)).toBe("insufficient_scope");
    expect(await (await call("/v1/invitations", { token: ada.token })).json()).toMatchObject({
      invitations: [],
    });
  });

  it("gets no new secret of a token", async () => {
    const { id } = await makeToken(ada.token);
    beforeWrite('update "tokens"', losing.removed);
    expect(await outcomeOf(await post(`/v1/tokens/${id}/rotate`, grace.token, {}))).toBe(
      "insufficient_scope",
    );
    expect((await tokenOf(ada.token, id))?.rotated_at).toBeNull();
  });

  it("enrols no server", async () => {
    const body = { name: "web", ip: "192.0.2.1" };
    beforeWrite('insert into "servers"', losing.demoted);
    expect(await outcomeOf(await post("/v1/servers", grace.token, body))).toBe("insufficient_scope");
    const created = await post("/v1/servers", ada.token, body);
    const { id } = await created.json<{ id: string }>();
    const joan = await addMember(ada.token, [{ role: "admin" }], "Joan");
    beforeWrite('update "servers"', async () => await change(joan, ada.token, { grants: asViewer }));
    const enrolled = await post(`/v1/servers/${id}/enrollment`, joan.token, {});
    expect(await outcomeOf(enrolled)).toBe("insufficient_scope");
  });

  it("makes and changes no trust rule", async () => {
    const rule = {
      name: "shop",
      provider: "github",
      subject: "123",
      claims: { ref: ["refs/heads/main"] },
      scopes: ["deployments:write"],
    };
    const { id } = await createRule(grace.token, rule);
    beforeWrite('update "trust_rules"', losing.demoted);
    const body = { claims: { ref: ["refs/heads/main", "refs/heads/dev"] } };
    const changed = await call(`/v1/trust-rules/${id}`, { method: "PATCH", token: grace.token, body });
    expect(await outcomeOf(changed)).toBe("insufficient_scope");
  });

  it("changes and removes no member", async () => {
    const joan = await addMember(ada.token, asViewer, "Joan");
    await change(grace, ada.token, { is_owner: true });
    beforeWrite('update "members"', async () => {
      await change(grace, ada.token, { is_owner: false, grants: asViewer });
    });
    expect(await outcomeOf(await change(joan, grace.token, { is_owner: true }))).toBe("insufficient_scope");
    beforeWrite('delete from "members"', async () => await revoke(ada.token, ada.tokenId));
    expect(await outcomeOf(await remove(joan, ada.token))).toBe("insufficient_scope");
  });

  it("keeps no passkey and no recovery codes", async () => {
    const { sent } = await newPasskey(await challengeFor(grace.token, "add_passkey"));
    beforeWrite('insert into "passkeys"', async () => await revoke(ada.token, grace.tokenId));
    const added = await post("/v1/me/passkeys", grace.token, { name: "Phone", passkey: sent });
    expect(await outcomeOf(added)).toBe("insufficient_scope");
    const made = await post("/v1/me/recovery-codes", ada.token, {});
    const { codes } = RecoveryCodes.parse(await made.json());
    beforeWrite('delete from "recovery_codes"', async () => await revoke(ada.token, ada.tokenId));
    expect(await outcomeOf(await post("/v1/me/recovery-codes", ada.token, {}))).toBe("insufficient_scope");
    const recovered = await call("/v1/sessions", { method: "POST", body: { recovery_code: codes[0] } });
    expect(recovered.status).toBe(201);
  });
});

describe("an admin", () => {
  it("cannot remove a member who becomes an owner at this moment", async () => {
    const joan = await addMember(ada.token, asViewer, "Joan");
    beforeWrite('delete from "members"', async () => await change(joan, ada.token, { is_owner: true }));
    expect(await outcomeOf(await remove(joan, grace.token))).toBe("person_required");
    const { members } = await (await call("/v1/members", { token: ada.token })).json<{ members: object[] }>();
    expect(members).toHaveLength(3);
  });
});
