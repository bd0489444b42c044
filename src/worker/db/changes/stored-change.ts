import * as z from "zod/mini";

import { AuditChanges, AuditOutcome, AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import { EventActor, EventType } from "#contract/endpoints/events/schemas.ts";
import { PushReason, PushSource, Verdict } from "#contract/endpoints/hooks/push-decisions.ts";
import { AuditEntryId, DeploymentId, EventId, HookId, ProjectId, PushId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { auditWrites, type NewEvent, unnumberedRow } from "#worker/db/changes/change-writes.ts";
import { events } from "#worker/db/event-tables.ts";
import { acceptedWrites } from "#worker/db/pushes/push-records.ts";

const StoredEvent = z.strictObject({
  id: EventId,
  projectId: z.nullable(ProjectId),
  type: EventType,
  actor: EventActor,
  data: z.record(z.string(), z.unknown()),
  createdAt: z.number(),
});

/** An entry of the audit log with all its fields, before it has a number. */
export const StoredEntry = z.strictObject({
  id: AuditEntryId,
  projectId: z.nullable(ProjectId),
  createdAt: z.number(),
  actor: EventActor,
  ip: z.nullable(z.string()),
  requestId: z.nullable(z.string()),
  action: z.string(),
  outcome: AuditOutcome,
  code: z.nullable(z.string()),
  target: z.nullable(AuditTarget),
  changes: z.nullable(AuditChanges),
});

export type StoredEntry = z.infer<typeof StoredEntry>;

/** A row of the ledger of pushes. */
const StoredPush = z.strictObject({
  id: PushId,
  hookId: z.nullable(HookId),
  projectId: z.nullable(ProjectId),
  source: PushSource,
  receivedAt: z.number(),
  deliveryId: z.nullable(z.string()),
  event: z.nullable(z.string()),
  ref: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  headline: z.nullable(z.string()),
  pusher: z.nullable(z.string()),
  bodyHash: z.nullable(z.string()),
  paths: z.nullable(z.array(z.string())),
  decision: Verdict,
  reason: z.nullable(PushReason),
  detail: z.nullable(z.string()),
  deploymentId: z.nullable(DeploymentId),
  liveSha: z.nullable(z.string()),
  count: z.number(),
});

/**
 * An event and its audit entry, or one of both, as a Durable Object stores them until D1 has them. `push`: the row of the
 * push that caused them.
 */
export const StoredChange = z.strictObject({
  event: z.nullable(StoredEvent),
  audit: z.nullable(StoredEntry),
  push: z.optional(StoredPush),
});
export type StoredChange = z.infer<typeof StoredChange>;

/** The change in its stored form. */
export function storedChange(event: NewEvent | null, audit: StoredEntry | null): StoredChange {
  return { event: event === null ? null : unnumberedRow(event), audit };
}

/** Adds the events, entries and pushes in order. Rows whose ids exist are skipped, so it is safe to repeat. */
export function storedChangeWrites(rows: AccountRows, changes: readonly StoredChange[]): Write[] {
  const added = changes.flatMap(({ event }) => (event === null ? [] : [{ ...event, sequence: 0 }]));
  const entries = changes.flatMap(({ audit }) => (audit === null ? [] : [audit]));
  const pushed = changes.flatMap(({ push }) => push ?? []);
  return [
    ...rows.insertNumbered(events, added, events.sequence),
    ...auditWrites(rows, entries),
    ...acceptedWrites(rows, pushed),
  ];
}
