import { freezeEndpoints } from "#contract/endpoints/freezes/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { createFreeze, deleteFreeze, updateFreeze } from "#worker/operations/freezes/change-freezes.ts";
import { getFreeze, listFreezes } from "#worker/operations/freezes/read-freezes.ts";

export const freezeRoutes = forTokens(freezeEndpoints, {
  listFreezes: (context, { query, url }) => answerPage(listFreezes(context, query), url),
  createFreeze: (context, { body }) =>
    answer(createFreeze(context, body), ({ id }) => ({ location: `/v1/freezes/${id}` })),
  getFreeze: (context, { params }) => answer(getFreeze(context, params.freeze_id)),
  updateFreeze: (context, { params, body }) => answer(updateFreeze(context, params.freeze_id, body)),
  deleteFreeze: (context, { params }) => answer(deleteFreeze(context, params.freeze_id)),
});
