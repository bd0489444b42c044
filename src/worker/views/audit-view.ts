import type { AuditEntry, AuditSeal, AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import type { AuditRecord, SealRecord } from "#worker/db/audit/audit-records.ts";
import { timestamp } from "#worker/views/timestamp.ts";

export function auditEntryView({ createdAt, requestId, projectId, ...entry }: AuditRecord): AuditEntry {
  return { ...entry, timestamp: timestamp(createdAt), request_id: requestId, project_id: projectId };
}

export function auditSealView({ number, firstEntry, lastEntry, hash, sealedAt }: SealRecord): AuditSeal {
  return {
    number,
    first_entry: firstEntry,
    last_entry: lastEntry,
    hash,
    sealed_at: timestamp(sealedAt),
  };
}

/** A deployment as the audit log names it. */
export function deploymentTarget({ id, version }: { id: DeploymentId; version: number }): AuditTarget {
  return { type: "deployment", id, name: `v${version}` };
}
