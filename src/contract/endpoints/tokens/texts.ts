import * as schemas from "#contract/endpoints/tokens/schemas.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { powerList, scopeWords } from "#contract/powers/scope-words.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { choice, nextCursor, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { Scope } from "#contract/scopes.ts";

/** Also for personal tokens. */
export const exampleToken = {
  id: example.token,
  kind: "token",
  name: "CI of shop",
  scopes: ["deployments:write", "projects:read"],
  project_ids: [example.project],
  member: null,
  created_at: "2026-11-02T08:20:00.000Z",
  rotated_at: null,
  expires_at: "2027-01-31T08:20:00.000Z",
  previous_expires_at: null,
  last_used_at: "2026-11-20T09:04:11.318Z",
} as const;

export const tokenTexts = {
  listTokens: {
    summary: "List tokens, newest first",
    description: prose`
      Returns the tokens of the account, newest first, without their secrets. Revoked tokens are not listed.
      \`last_used_at\` is written once an hour; use it to find and revoke tokens that are no longer used. The list
      includes the dashboard sessions of people, with the kind \`session\`, so that you can end them. A token that is
      limited to projects sees only tokens that are limited to some of the same projects.`,
    answer: { tokens: [exampleToken], next_cursor: null },
  },
  getToken: {
    summary: "Get a token",
    description: prose`
      Returns a token without its secret, if it is in the list: a revoked token is 404.`,
    answer: exampleToken,
  },
  createToken: {
    summary: "Create a token",
    description: prose`
      Creates a token. Only this response contains its secret, \`token\`. Gantry stores a hash of the secret, so the
      secret cannot be shown again.

      A token can only give permissions that it has. If you ask for scopes or projects that your token does not have, or
      for no project limit although your token has one, the response is 403 \`insufficient_scope\`. An account can have
      1,000 tokens (409 \`too_many\`). Expired tokens count until they are revoked; sessions do not count.`,
    body: {
      name: "CI of shop",
      scopes: ["deployments:write", "projects:read"],
      project_ids: [example.project],
      expires_in_days: 90,
    },
    answer: { ...exampleToken, last_used_at: null, token: secrets.token },
    location: `/v1/tokens/${example.token}`,
  },
  rotateToken: {
    summary: "Rotate the secret of a token",
    description: prose`
      Gives a token a new secret and restarts its lifetime. Only this response contains the new secret. The old secret
      works for another 24 hours, until \`previous_expires_at\`, so that you can replace it everywhere. A secret from an
      earlier rotation stops working immediately. The name, scopes and project limit stay the same.

      If a token has leaked, revoke it instead, because anyone with the old secret can rotate the token too. Rotating a token
      with more permissions than your own is 403 \`insufficient_scope\`. Sessions cannot be rotated (404).`,
    body: {},
    answer: {
      ...exampleToken,
      rotated_at: "2026-11-20T09:30:00.000Z",
      expires_at: "2027-02-18T09:30:00.000Z",
      previous_expires_at: "2026-11-21T09:30:00.000Z",
      token: secrets.token,
    },
  },
  revokeToken: {
    summary: "Revoke a token",
    description: prose`
      Revokes a token and all of its secrets. Parts of the network that have just checked the token can accept it for
      another 10 seconds. Its streams end within the same time. What it has started, such as a deployment or a command, continues.

      An account must keep a token that can create every other token: one with \`tokens:write\`, without a project limit,
      that has not expired and is not a session. Revoking the last one is 409 \`last_token\`; create another first.`,
  },
} as const satisfies Partial<OperationTexts>;

const granted = {
  name: "A name for people, on one line. It does not have to be unique.",
  scopes: "The token's permissions.",
  project_ids: "The projects that the token can access. `null`: all projects of the account.",
};

/** Also used for sessions and accounts, which show some of these fields. */
export const tokenFields = {
  ...granted,
  id: "The token's id. It is not secret.",
  kind: "What the token is for.",
  member:
    "Whose session or personal token it is: it then allows what the member may do too. `null`: a service token.",
  created_at: "When the token was created.",
  rotated_at: "When the token last got a new secret.",
  expires_at: "When the token expires.",
  previous_expires_at:
    "Until when the secret from before the last rotation still works. `null` if it no longer works.",
  last_used_at: "The token's first use in the hour of its last use. It is written once an hour.",
  token: "The secret. Send it as `Authorization: Bearer <token>`. It is shown only in this response.",
};

const { token: secret, ...shownFields } = tokenFields;

function scopeText(words: string, scope: Scope): string {
  const powers = powerList([scope]);
  return powers.length === 0 ? words : `${words}. Lets the caller ${powers.join("; ")}`;
}

export const tokenSchemas = {
  Scope: choice(Scope, "A permission of a token. `write` includes `read`.", mapValues(scopeWords, scopeText)),
  TokenPurpose: choice(schemas.TokenPurpose, "What a token is for.", {
    token: "an API token for programs, until it expires or is revoked",
    session: "the dashboard session of a person, for 12 hours",
    exchange: "the token that a job got by a trust rule, for at most two hours. It is in no list",
  }),
  Token: object(schemas.Token, "A token without its secret.", shownFields),
  TokenWithSecret: object(schemas.TokenWithSecret, "A token with its secret.", {
    ...shownFields,
    token: secret,
  }),
  TokenRows: object(schemas.TokenRows, "A page of tokens.", {
    tokens: "The tokens of this page, newest first.",
    next_cursor: nextCursor,
  }),
  CreateTokenInput: object(schemas.CreateTokenInput, "The token to create.", {
    ...granted,
    expires_in_days: "The token's lifetime in days.",
  }),
} satisfies Record<string, SchemaText>;
