import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { TokenId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";
import * as schemas from "#contract/endpoints/tokens/schemas.ts";

const TokenParams = z.strictObject({ token_id: TokenId });

export const tokenEndpoints = {
  listTokens: {
    ...get("/v1/tokens", token("tokens:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.TokenRows },
  },
  getToken: {
    ...get("/v1/tokens/:token_id", token("tokens:read")),
    params: TokenParams,
    success: { status: 200, body: schemas.Token },
  },
  createToken: {
    ...post("/v1/tokens", token("tokens:write")),
    body: schemas.CreateTokenInput,
    success: { status: 201, body: schemas.TokenWithSecret },
    problems: ["too_many", "reauthentication_required"],
  },
  revokeToken: {
    ...remove("/v1/tokens/:token_id", token("tokens:write")),
    params: TokenParams,
    success: { status: 204, body: null },
    problems: ["last_token"],
  },
  rotateToken: {
    ...post("/v1/tokens/:token_id/rotate", token("tokens:write")),
    params: TokenParams,
    body: z.strictObject({}),
    success: { status: 200, body: schemas.TokenWithSecret },
    problems: ["reauthentication_required"],
  },
} as const satisfies Record<string, Endpoint>;
