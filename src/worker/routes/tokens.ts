import { tokenEndpoints } from "#contract/endpoints/tokens/endpoints.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { forTokens } from "#worker/http/routes.ts";
import { createToken, revokeToken, rotateToken } from "#worker/operations/tokens/change-tokens.ts";
import { getToken, listTokens } from "#worker/operations/tokens/list-tokens.ts";

export const accessTokenRoutes = forTokens(tokenEndpoints, {
  listTokens: (context, { query, url }) => answerPage(listTokens(context, query), url),
  getToken: (context, { params }) => answer(getToken(context, params.token_id)),
  createToken: (context, { body }) =>
    answer(createToken(context, body), ({ id }) => ({ location: `/v1/tokens/${id}` })),
  revokeToken: (context, { params }) => answer(revokeToken(context, params.token_id)),
  rotateToken: (context, { params }) => answer(rotateToken(context, params.token_id)),
});
