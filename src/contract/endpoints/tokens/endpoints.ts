import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { NoParams, plain, token } from "#contract/endpoints/endpoint-defaults.ts";
import { TokenId } from "#contract/ids.ts";
import {
  CreateTokenInput,
  TokenRows,
  TokensQuery,
  TokenWithSecret,
} from "#contract/endpoints/tokens/schemas.ts";

const TokenParams = z.strictObject({ token_id: TokenId });

/** The endpoints for tokens. */
export const tokenEndpoints = {
  listTokens: {
    ...plain,
    method: "GET",
    path: "/v1/tokens",
    access: token("tokens:read"),
    summary: "List tokens, newest first",
    params: NoParams,
    query: TokensQuery,
    success: { status: 200, body: TokenRows },
  },
  createToken: {
    ...plain,
    method: "POST",
    path: "/v1/tokens",
    access: token("tokens:write"),
    summary: "Create a token",
    params: NoParams,
    body: CreateTokenInput,
    success: { status: 201, body: TokenWithSecret },
    problems: ["too_many"],
  },
  revokeToken: {
    ...plain,
    method: "DELETE",
    path: "/v1/tokens/:token_id",
    access: token("tokens:write"),
    summary: "Revoke a token",
    params: TokenParams,
    success: { status: 204, body: null },
    problems: ["last_token"],
  },
  rotateToken: {
    ...plain,
    method: "POST",
    path: "/v1/tokens/:token_id/rotate",
    access: token("tokens:write"),
    summary: "Rotate the secret of a token",
    params: TokenParams,
    body: z.strictObject({}),
    success: { status: 200, body: TokenWithSecret },
  },
} as const satisfies Record<string, Endpoint>;
