import { auditEndpoints } from "#contract/endpoints/audit/endpoints.ts";
import { type AuditEntries, AuditOutcome } from "#contract/endpoints/audit/schemas.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { readBlob } from "#dashboard/data/read-blob.ts";
import {
  ALL,
  POLL_MS,
  Resource,
  resources,
  useResource,
  type WatchedResource,
} from "#dashboard/data/resource.ts";

const auditApi = clientOf(auditEndpoints);

/** Empty ones are for all entries. */
export type AuditFilters = {
  readonly outcome: string;
  readonly actor_id: string;
  readonly project_id: string;
};

/** The filters as a query. */
function queryOf({ outcome, actor_id, project_id }: AuditFilters) {
  const known = AuditOutcome.safeParse(outcome);
  return {
    ...(known.success ? { outcome: known.data } : {}),
    ...(actor_id === "" ? {} : { actor_id }),
    ...(project_id === "" ? {} : { project_id }),
  };
}

/** A page of entries, newest first. @param cursor null for the newest page */
export function listAuditEntries(filters: AuditFilters, cursor: string | null) {
  const query = queryOf(filters);
  return auditApi.listAuditEntries({ query: cursor === null ? query : { ...query, cursor } });
}

/** All entries that match, as a file. */
export function exportAuditEntries(filters: AuditFilters) {
  return readBlob(auditEndpoints.listAuditEntries, { query: queryOf(filters) }, "application/x-ndjson");
}

/** The newest page of the entries that match. */
export function useAuditEntries(filters: AuditFilters): WatchedResource<AuditEntries> {
  return useResource(
    () => new Resource(() => listAuditEntries(filters, null), POLL_MS, { shows: "*", key: ALL }),
    JSON.stringify(filters),
  );
}

/** The newest seal, as a list with one entry or none. */
export const useNewestSeal = resources(
  () => auditApi.listAuditSeals({ query: { limit: 1 } }),
  POLL_MS,
  "audit",
);
