import { auditEndpoints } from "#contract/endpoints/audit/endpoints.ts";
import { refuse, succeed } from "#contract/problems.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answerPage } from "#worker/http/responses.ts";
import { streamed } from "#worker/http/streamed.ts";
import {
  exportAuditEntries,
  listAuditEntries,
  listAuditSealCopies,
  listAuditSeals,
} from "#worker/operations/audit/list-audit.ts";

const notInPages = refuse(
  "invalid_request",
  "An export has all entries, not pages: send neither `limit` nor `cursor`.",
);

export const auditRoutes = forTokens(auditEndpoints, {
  async listAuditEntries(context, { query, mediaType, url }) {
    switch (mediaType) {
      case "application/json":
        return await answerPage(listAuditEntries(context, query ?? {}), url);
      case "application/x-ndjson": {
        if (query?.cursor !== undefined || query?.limit !== undefined) return notInPages;
        const headers = { "content-type": mediaType, vary: "accept" };
        return succeed({
          response: new Response(streamed(context, exportAuditEntries(context, query ?? {})), { headers }),
        });
      }
    }
  },
  listAuditSeals: (context, { query, url }) => answerPage(listAuditSeals(context, query ?? {}), url),
  listAuditSealCopies: (context, { query, url }) =>
    answerPage(listAuditSealCopies(context, query ?? {}), url),
});
