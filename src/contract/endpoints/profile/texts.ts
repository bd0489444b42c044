import { exampleMember } from "#contract/endpoints/members/texts.ts";
import * as schemas from "#contract/endpoints/profile/schemas.ts";
import { exampleNewPasskey } from "#contract/endpoints/sessions/texts.ts";
import { exampleToken } from "#contract/endpoints/tokens/texts.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const passkey = {
  id: example.passkey,
  name: "Laptop",
  rp_id: "gantry.example.com",
  is_synced: true,
  created_at: "2026-11-02T08:20:00.000Z",
  last_used_at: "2026-11-20T09:04:11.318Z",
} as const;

const identity = {
  id: example.identity,
  connection: { id: example.connection, name: "Okta" },
  subject: "00u1b2c3d4e5f6g7h8i9",
  name: "grace@example.com",
  created_at: "2026-11-02T08:20:00.000Z",
  last_used_at: "2026-11-20T09:04:11.318Z",
} as const;

const profile = {
  member: exampleMember,
  passkeys: [passkey],
  identities: [identity],
  connections: [{ id: example.connection, kind: "oidc", name: "Okta" }],
  recovery_codes: 8,
} as const;

const ownToken = {
  ...exampleToken,
  name: "laptop",
  project_ids: null,
  member: { id: exampleMember.id, name: exampleMember.name },
} as const;

export const profileTexts = {
  getProfile: {
    summary: "Get the person who is signed in",
    description: prose`Returns the person of the session, with their passkeys, their identities at providers, and the number of recovery codes that are left.`,
    answer: profile,
  },
  updateProfile: {
    summary: "Change your name or e-mail address",
    description: prose`
      Changes the person of the session. Omitted fields keep their values. To change \`email\`, the session must be confirmed
      (403 \`reauthentication_required\`).`,
    body: { name: "Grace M. Hopper" },
    answer: { ...profile, member: { ...exampleMember, name: "Grace M. Hopper" } },
  },
  addPasskey: {
    summary: "Add a passkey",
    description: prose`
      Adds a passkey that answers a challenge of \`POST /v1/session/challenge\` with the act \`add_passkey\`. The session must be
      confirmed (403 \`reauthentication_required\`), or be one by a recovery code. A person can have ${schemas.MAX_PASSKEYS} passkeys.`,
    body: { name: "Phone", passkey: exampleNewPasskey },
    answer: { ...passkey, name: "Phone", last_used_at: null },
    location: null,
  },
  updatePasskey: {
    summary: "Rename a passkey",
    description: prose`Changes the name of a passkey, such as when it moves to another device.`,
    body: { name: "Old laptop" },
    answer: { ...passkey, name: "Old laptop" },
  },
  removePasskey: {
    summary: "Remove a passkey",
    description: prose`
      Removes a passkey: it can no longer sign anyone in. The last one stays (409 \`last_passkey\`): add another first. The session
      must be confirmed (403 \`reauthentication_required\`).`,
  },
  addIdentity: {
    summary: "Add an identity",
    description: prose`
      Lets the person of the session sign in by a provider: the body is the provider's answer to \`POST /v1/session/provider\` with the
      act \`add_identity\`. The session must be confirmed (403 \`reauthentication_required\`). An identity that belongs to somebody
      else is refused. A person can have ${schemas.MAX_IDENTITIES} identities.`,
    body: { query: "?code=example&state=example", binding: "example" },
    answer: { ...identity, last_used_at: null },
    location: null,
  },
  removeIdentity: {
    summary: "Remove an identity",
    description: prose`
      Removes an identity: the person can no longer sign in by it. The last way to sign in stays (409 \`last_passkey\`): add a passkey
      first. The session must be confirmed (403 \`reauthentication_required\`).`,
  },
  createRecoveryCodes: {
    summary: "Create recovery codes",
    description: prose`
      Creates ${schemas.RECOVERY_CODES} recovery codes, which replace earlier ones. Only this response contains them. Each signs in once, for
      15 minutes, and only to add a passkey. The session must be confirmed (403 \`reauthentication_required\`).`,
    body: {},
    answer: { codes: [secrets.recovery] },
    location: null,
  },
  listOwnTokens: {
    summary: "List your sessions and personal tokens",
    description: prose`Returns the sessions and the personal tokens of the person of the session, newest first, without their secrets.`,
    answer: { tokens: [ownToken] },
  },
  createOwnToken: {
    summary: "Create a personal token",
    description: prose`
      Creates a token that belongs to the person of the session. It allows its scopes in its projects as far as the person has them at
      the time of each request, and ends when the person is removed. Only this response contains its secret. The session must be
      confirmed (403 \`reauthentication_required\`).`,
    body: { name: "laptop", scopes: ["deployments:write", "projects:read"], expires_in_days: 90 },
    answer: { ...ownToken, last_used_at: null, token: secrets.token },
    location: null,
  },
  revokeOwnToken: {
    summary: "Revoke a personal token or end a session",
    description: prose`Revokes one of the person's sessions and personal tokens. Parts of the network can accept it for another 10 seconds.`,
  },
  endOwnSessions: {
    summary: "Sign out everywhere",
    description: prose`Ends all sessions of the person, also the session of the request. Personal tokens stay.`,
  },
} as const satisfies Partial<OperationTexts>;

const passkeyFields = {
  id: "The passkey's id.",
  name: "A name for the passkey, such as the device's.",
  rp_id: "The host name at which it works.",
  is_synced: "Whether it is on several devices of the person.",
  created_at: "When it was added.",
  last_used_at: "When it last signed in or confirmed. `null`: never.",
};

const identityFields = {
  id: "The identity's id.",
  connection: "The connection.",
  "connection.id": "The connection's id.",
  "connection.name": "The connection's name.",
  subject: "What the provider calls the person. It never changes.",
  name: "The address or the login that the provider gave at the last sign-in. `null`: none.",
  created_at: "When it was added.",
  last_used_at: "When the person last signed in by it. `null`: not yet.",
};

export const profileSchemas = {
  Passkey: object(schemas.Passkey, "A passkey of a member.", passkeyFields),
  Identity: object(schemas.Identity, "An identity of a member at a provider.", identityFields),
  Profile: object(schemas.Profile, "The person who is signed in.", {
    member: "The person.",
    passkeys: "The person's passkeys, the oldest first.",
    identities: "The person's identities at providers, the oldest first.",
    connections: "The connections of the account, at which identities can be added.",
    recovery_codes: "How many recovery codes are left.",
  }),
  UpdateProfileInput: object(schemas.UpdateProfileInput, "The fields to change.", {
    name: "Your name.",
    email: "Your e-mail address. `null`: none.",
  }),
  AddPasskeyInput: object(schemas.AddPasskeyInput, "The passkey to add.", {
    name: passkeyFields.name,
    passkey: "The new passkey, as the browser's `PublicKeyCredential.toJSON()` gives it.",
  }),
  UpdatePasskeyInput: object(schemas.UpdatePasskeyInput, "The new name.", { name: passkeyFields.name }),
  RecoveryCodes: object(schemas.RecoveryCodes, "Recovery codes.", {
    codes: "The codes. Each works once. They are shown only in this response.",
  }),
  OwnTokens: object(schemas.OwnTokens, "The sessions and personal tokens of a person.", {
    tokens: "The sessions and tokens, newest first.",
  }),
} satisfies Record<string, SchemaText>;
