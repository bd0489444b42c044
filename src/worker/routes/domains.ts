import { domainEndpoints } from "#contract/endpoints/domains/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import { checkDomains } from "#worker/operations/domains/check-domains.ts";

export const domainRoutes = forTokens(domainEndpoints, {
  checkDomains: (context, { params }) => answer(checkDomains(context, params.project_id)),
});
