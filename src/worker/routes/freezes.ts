import type { TokenHandlers } from "#worker/http/handler.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { createFreeze } from "#worker/operations/freezes/create-freeze.ts";
import { deleteFreeze } from "#worker/operations/freezes/delete-freeze.ts";
import { getFreeze } from "#worker/operations/freezes/get-freeze.ts";
import { listFreezes } from "#worker/operations/freezes/list-freezes.ts";
import { updateFreeze } from "#worker/operations/freezes/update-freeze.ts";

export const freezeHandlers = {
  listFreezes: (context, { query, url }) => answerPage(listFreezes(context, query), url),
  createFreeze: (context, { body }) =>
    answer(createFreeze(context, body), ({ id }) => ({ location: `/v1/freezes/${id}` })),
  getFreeze: (context, { params }) => answer(getFreeze(context, params.freeze_id)),
  updateFreeze: (context, { params, body }) => answer(updateFreeze(context, params.freeze_id, body)),
  deleteFreeze: (context, { params }) => answer(deleteFreeze(context, params.freeze_id)),
} satisfies Partial<TokenHandlers>;
