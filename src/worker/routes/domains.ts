import type { TokenHandlers } from "#worker/http/handler.ts";
import { answer } from "#worker/http/responses.ts";
import { checkDomains } from "#worker/operations/domains/check-domains.ts";

export const domainHandlers = {
  checkDomains: (context, { params }) => answer(checkDomains(context, params.project_id)),
} satisfies Partial<TokenHandlers>;
