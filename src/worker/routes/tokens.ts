import { answer, answerPage } from "#worker/http/responses.ts";
import type { TokenHandlers } from "#worker/http/handler.ts";
import { createToken, revokeToken, rotateToken } from "#worker/operations/tokens/change-tokens.ts";
import { listTokens } from "#worker/operations/tokens/list-tokens.ts";

export const accessTokenHandlers = {
  listTokens: (context, { query, url }) => answerPage(listTokens(context, query), url),
  createToken: (context, { body }) => answer(createToken(context, body)),
  revokeToken: (context, { params }) => answer(revokeToken(context, params.token_id)),
  rotateToken: (context, { params }) => answer(rotateToken(context, params.token_id)),
} satisfies Partial<TokenHandlers>;
