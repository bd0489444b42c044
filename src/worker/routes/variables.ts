import { variableEndpoints } from "#contract/endpoints/variables/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import { getVariables, listVariableRevisions } from "#worker/operations/variables/read-variables.ts";
import { updateVariables } from "#worker/operations/variables/update-variables.ts";

export const variableRoutes = forTokens(variableEndpoints, {
  getVariables: (context, { params }) => answer(getVariables(context, params.project_id)),
  updateVariables: (context, { params, body }) => answer(updateVariables(context, params.project_id, body)),
  listVariableRevisions: (context, { params, query, url }) =>
    answerPage(listVariableRevisions(context, params.project_id, query), url),
});
