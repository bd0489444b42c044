import { answer, answerPage } from "#worker/http/answers.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { createToken } from "#worker/operations/create-token.ts";
import { listTokens } from "#worker/operations/list-tokens.ts";
import { revokeToken } from "#worker/operations/revoke-token.ts";
import { rotateToken } from "#worker/operations/rotate-token.ts";

export const accessTokenHandlers = {
  listTokens: (context, { query, url }) => answerPage(listTokens(context, query), url),
  createToken: (context, { body }) => answer(createToken(context, body)),
  revokeToken: (context, { params }) => answer(revokeToken(context, params.token_id)),
  rotateToken: (context, { params }) => answer(rotateToken(context, params.token_id)),
} satisfies Partial<TokenHandlers>;
