import * as schemas from "#contract/endpoints/audit/schemas.ts";
import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, token } from "#contract/endpoints/endpoint-defaults.ts";
import { PageQuery } from "#contract/paging.ts";

export const auditEndpoints = {
  listAuditEntries: {
    ...get("/v1/audit", token("audit:read")),
    query: schemas.AuditQuery,
    success: { status: 200, body: schemas.AuditEntries },
    alsoAs: ["application/x-ndjson"],
  },
  listAuditSeals: {
    ...get("/v1/audit/seals", accountToken("audit:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.AuditSeals },
  },
  listAuditSealCopies: {
    ...get("/v1/audit/seals/copies", accountToken("audit:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.AuditSealCopies },
  },
} as const satisfies Record<string, Endpoint>;
