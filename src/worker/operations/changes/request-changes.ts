import type { AuditChanges, AuditTarget } from "#contract/endpoints/audit/schemas.ts";
import type { MemberReference } from "#contract/endpoints/members/reference.ts";
import type { EventActor } from "#contract/endpoints/events/schemas.ts";
import type { MemberId, ProjectId } from "#contract/ids.ts";
import { pick } from "#contract/lib/pick.ts";
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

/** The sender of a request. `token.id`: null: it got no token. */
type Sender = {
  readonly token: { readonly id: TokenIdentity["id"] | null; readonly name: string };
  readonly member: MemberReference | null;
};

/** What is recorded of a request. */
type RecordedRequest = Pick<Context, "rows" | "ids" | "clock" | "request"> & Sender;

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
  { ids, clock, ...sender }: Omit<RecordedRequest, "rows" | "request">,
  content: EventContent,
): NewEvent {
  return { ...content, id: ids.event(), actor: eventActorOf(sender), createdAt: clock.now() };
}

/** The entry of a request in the audit log. */
export function requestEntry(
  { ids, clock, request, ...sender }: Omit<RecordedRequest, "rows">,
  { target, projectId, changes = {} }: Omit<RequestChange, "event">,
): StoredEntry {
  return {
    id: ids.auditEntry(),
    projectId,
    createdAt: clock.now(),
    actor: eventActorOf(sender),
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

/**
 * The person behind a request: the member, or the member who created the service token. Otherwise a member could create a
 * token, deploy with it, and approve the deployment in a session. null: nobody, as for the job of a trust rule, the session of
 * a sign-in link, or a token from before there were members.
 */
export function personBehind({ token, member }: Pick<Context, "token" | "member">): MemberId | null {
  return member?.id ?? token.createdBy;
}

/** The sender of a request as an actor. */
export function eventActorOf({ token, member }: Sender): EventActor {
  const { id } = token;
  return member === null
    ? { type: "token", id, name: token.name }
    : { type: "token", id, name: member.name, member: pick(member, ["id", "name"]) };
}
