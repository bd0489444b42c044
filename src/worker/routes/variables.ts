import type { TokenHandlers } from "#worker/http/handler.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { getVariables, listVariableRevisions } from "#worker/operations/variables/read-variables.ts";
import { updateVariables } from "#worker/operations/variables/update-variables.ts";

export const variableHandlers = {
  getVariables: (context, { params }) => answer(getVariables(context, params.project_id)),
  updateVariables: (context, { params, body }) => answer(updateVariables(context, params.project_id, body)),
  listVariableRevisions: (context, { params, query, url }) =>
    answerPage(listVariableRevisions(context, params.project_id, query), url),
} satisfies Partial<TokenHandlers>;
