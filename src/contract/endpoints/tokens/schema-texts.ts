import { Account, Health, UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { choice, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { nextCursor } from "#contract/reference/schemas/shared.ts";
import { Scope } from "#contract/scopes.ts";
import { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import {
  CreateTokenInput,
  Token,
  TokenPurpose,
  TokenRows,
  TokenWithSecret,
} from "#contract/endpoints/tokens/schemas.ts";

const granted = {
  name: "What people call it, on one line. Names need not differ.",
  scopes: "What it may do.",
  project_ids: "The only projects that it sees; `null`: all of the account.",
};

const logRetention =
  "How many days the log of a deployment is kept after the deployment has ended. It goes within a day then.";

const tokenFields = {
  ...granted,
  id: "The token's id. It is no secret.",
  kind: "What it is for.",
  created_at: "When it was made.",
  rotated_at: "When it last got a new secret.",
  expires_at: "When it ends.",
  previous_expires_at: "Until when the secret from before the last rotation works too; `null`: none does.",
  last_used_at: "The hour in which it was last used.",
};

export const tokenSchemas = {
  Scope: choice(Scope, "What a token may do. To `write` is to `read`, too.", {
    "deployments:read": "see deployments and their logs",
    "deployments:write": "start, cancel, delete, roll back",
    "projects:read": "see projects and their settings",
    "projects:write": "create, change and delete projects",
    "servers:read": "see servers",
    "servers:write": "register, change and delete servers, and enrol agents",
    "tokens:read": "see tokens, without their secrets",
    "tokens:write": "make, rotate and revoke tokens",
    "account:write": "change the account's settings",
  }),
  TokenPurpose: choice(TokenPurpose, "What a token is for.", {
    token: "a program, until it is revoked or expires",
    session: "somebody who has signed in to the dashboard, for 12 hours",
  }),
  Token: object(Token, "A token, without its secret.", tokenFields),
  TokenWithSecret: object(TokenWithSecret, "A token with its secret.", {
    ...tokenFields,
    token: "The secret: what follows `Bearer` in the header `Authorization`. It is shown only here.",
  }),
  TokenRows: object(TokenRows, "A page of tokens.", {
    tokens: "The page's tokens, the newest first.",
    next_cursor: nextCursor,
  }),
  CreateTokenInput: object(CreateTokenInput, "A new token.", {
    ...granted,
    expires_in_days: "How many days it works.",
  }),
  CreateSessionInput: object(CreateSessionInput, "A sign-in link.", {
    code: "What follows `#code=` in the link.",
  }),
  SessionCreated: object(SessionCreated, "A session with its secret.", {
    id: tokenFields.id,
    token: "The secret: what follows `Bearer` in the header `Authorization`. It is shown only here.",
    expires_at: tokenFields.expires_at,
  }),
  Account: object(Account, "An account, and the token that asks.", {
    id: "The account's id.",
    name: "The account's name.",
    log_retention_days: logRetention,
    token: "The token that asks.",
    "token.id": tokenFields.id,
    "token.name": "What people call it.",
    "token.scopes": granted.scopes,
    "token.project_ids": granted.project_ids,
    "token.expires_at": tokenFields.expires_at,
  }),
  UpdateAccountInput: object(UpdateAccountInput, "Settings to change.", { log_retention_days: logRetention }),
  Health: object(Health, "The control plane is well.", { status: "Always `ok`." }),
} satisfies Record<string, SchemaText>;
