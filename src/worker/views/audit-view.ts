import { type AuditEntry, AuditSeal, type AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { DeploymentId } from "#contract/ids.ts";
import { parseJson } from "#contract/parse-json.ts";
import type { EntryLine } from "#sealing/audit-chain.ts";
import type { AuditRecord, StoredAuditRecord, StoredSealRecord } from "#worker/db/audit/audit-records.ts";
import { timestamp } from "#worker/views/timestamp.ts";

export function auditEntryView({ createdAt, requestId, projectId, ...entry }: AuditRecord): AuditEntry {
  return { ...entry, timestamp: timestamp(createdAt), request_id: requestId, project_id: projectId };
}

/**
 * An entry in the export. Seals cover this line. So each value of the row is in the line, and the line of a stored row
 * must never change: a field that is added later must be absent where it is null.
 */
export function auditLine(record: StoredAuditRecord): EntryLine {
  const { id, sequence, createdAt, ip, action, outcome, code } = record;
  const entry = {
    id,
    sequence,
    timestamp: storedTime(createdAt),
    actor: storedJson(record.actor),
    ip,
    request_id: record.requestId,
    action,
    outcome,
    code,
    project_id: record.projectId,
    target: storedJson(record.target),
    changes: storedJson(record.changes),
  };
  return { sequence, line: JSON.stringify(entry) };
}

/** What the text means; the text itself if Gantry would have stored the same in another form, as it stores no `null`. */
function storedJson(text: StoredAuditRecord["actor"]): unknown {
  if (typeof text !== "string") return text;
  const value = parseJson(text);
  return value !== null && JSON.stringify(value) === text ? value : text;
}

/** The time in the API; the value itself if it is no time. */
function storedTime(time: StoredAuditRecord["createdAt"]): StoredAuditRecord["createdAt"] {
  return typeof time === "number" && !Number.isNaN(new Date(time).getTime()) ? timestamp(time) : time;
}

/** A seal in the API. Null: the row was edited so that it is no seal. */
export function auditSealView(record: StoredSealRecord): AuditSeal | null {
  const { id, number, firstEntry, lastEntry, entriesHash, sealedAt, hash } = record;
  const seal = {
    id,
    number,
    first_entry: firstEntry,
    last_entry: lastEntry,
    entries_hash: entriesHash,
    sealed_at: storedTime(sealedAt),
    hash,
  };
  return AuditSeal.safeParse(seal).data ?? null;
}

/** A deployment as the audit log names it. */
export function deploymentTarget({ id, version }: { id: DeploymentId; version: number }): AuditTarget {
  return { type: "deployment", id, name: `v${version}` };
}
