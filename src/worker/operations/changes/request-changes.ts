import type { AuditChanges, AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { EventActor } from "#contract/endpoints/events/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { Context } from "#worker/context.ts";
import type { TokenIdentity } from "#worker/db/tokens/find-token-holder.ts";
import type { SettingsOrigin } from "#worker/db/changes/setting-writes.ts";
import type { StoredEntry } from "#worker/db/changes/stored-change.ts";
import type { Write } from "#worker/db/account-rows.ts";
import { changeWrites, type EventContent, type NewEvent } from "#worker/db/changes/change-writes.ts";

/** What a request changes. `event`: null: the change is only in the audit log. */
export type RequestChange = {
  readonly event: EventContent | null;
  readonly target: AuditTarget | null;
  readonly projectId: ProjectId | null;
  /** The settings that change, without secrets. */
  readonly changes?: AuditChanges;
};

/** The sender of a request. `id`: null: it got no token. */
type Sender = { readonly id: TokenIdentity["id"] | null; readonly name: string };

/** What is recorded of a request. `token`: its sender. */
type RecordedRequest = Pick<Context, "rows" | "ids" | "clock" | "request"> & { readonly token: Sender };

/**
 * The writes that record a change of a request, for the batch that makes it: directly after the statement whose changed
 * row is the change (`changeWrites`). After the batch, call `announce`.
 */
export function requestWrites(context: RecordedRequest, change: RequestChange): Write[] {
  const event = change.event === null ? null : requestEvent(context, change.event);
  return changeWrites(context.rows, { event, audit: requestEntry(context, change) });
}

/** An event that a request causes. */
export function requestEvent(
  { ids, clock, token }: Omit<RecordedRequest, "rows" | "request">,
  content: EventContent,
): NewEvent {
  return { ...content, id: ids.event(), actor: eventActorOf({ token }), createdAt: clock.now() };
}

/** The entry of a request in the audit log. */
export function requestEntry(
  { ids, clock, token, request }: Omit<RecordedRequest, "rows">,
  { target, projectId, changes = {} }: Omit<RequestChange, "event">,
): StoredEntry {
  return {
    id: ids.auditEntry(),
    projectId,
    createdAt: clock.now(),
    actor: eventActorOf({ token }),
    ip: request.ip,
    requestId: request.id,
    action: request.operation,
    outcome: "done",
    code: null,
    target,
    changes: Object.keys(changes).length === 0 ? null : changes,
  };
}

/** For `settingWrites`, which finds the rest in D1. */
export function settingsOrigin(context: Context, projectId: ProjectId | null): SettingsOrigin {
  return { audit: requestEntry(context, { target: null, projectId }), eventId: context.ids.event() };
}

/** The sender of a request as an actor. */
export function eventActorOf({ token }: { readonly token: Sender }): EventActor {
  return { type: "token", id: token.id, name: token.name };
}
