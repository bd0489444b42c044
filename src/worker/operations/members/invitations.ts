import type {
  CreateInvitationInput,
  Invitation,
  InvitationRows,
  InvitationWithLink,
} from "#contract/endpoints/members/schemas.ts";
import { MAX_MEMBERS } from "#contract/endpoints/members/schemas.ts";
import { InvitationId } from "#contract/ids.ts";
import { pick } from "#contract/lib/pick.ts";
import type { PageQuery } from "#contract/paging.ts";
import { dashboardPage } from "#contract/public-paths.ts";
import { type Result, succeed } from "#contract/problems.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import { mailOf } from "#domain/notify/email.ts";
import type { Context } from "#worker/context.ts";
import { changeWrites } from "#worker/db/changes/change-writes.ts";
import {
  findInvitation,
  insertInvitation,
  type InvitationReading,
  listInvitations as readInvitations,
  removeInvitation,
} from "#worker/db/members/join-records.ts";
import { isEmailTaken } from "#worker/db/members/member-records.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import {
  type RequestChange,
  requestEntry,
  requestEvent,
  requestWrites,
} from "#worker/operations/changes/request-changes.ts";
import {
  emailTaken,
  grantsOf,
  projectsOf,
  refuseGrantProjects,
  refuseGrants,
} from "#worker/operations/members/grants.ts";
import { notFound, refuseEnded, tooMany } from "#worker/operations/refusals.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { readAll } from "#worker/paging.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { grantView, invitationView } from "#worker/views/member-view.ts";
import { timestamp } from "#worker/views/timestamp.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Lists the open invitations, newest first: all of them, or one page if the query has a limit. */
export async function listInvitations(
  { rows, clock }: Context,
  query: PageQuery,
): Promise<Result<InvitationRows, "invalid_request">> {
  const now = clock.now();
  const page = await readAll(
    "invitations",
    InvitationId,
    (position) => readInvitations(rows, position, now),
    query,
  );
  if (!page.ok) return page;
  return succeed({
    invitations: page.value.rows.map((invitation) => invitationView(invitation)),
    next_cursor: page.value.nextCursor,
  });
}

/** Returns an open invitation. */
export async function getInvitation(
  { rows, clock }: Context,
  id: InvitationId,
): Promise<Result<Invitation, "not_found">> {
  const invitation = await findInvitation(rows, id);
  return invitation === null || invitation.expiresAt <= clock.now()
    ? notFound("invitation")
    : succeed(invitationView(invitation));
}

/** Invites a person, for at most the rights of the caller. Sends the link by mail if there is an address and a way to. */
export async function createInvitation(
  context: Context,
  input: CreateInvitationInput,
): Promise<
  Result<
    InvitationWithLink,
    "email_taken" | "insufficient_scope" | "invalid_request" | "reauthentication_required" | "too_many"
  >
> {
  const { clock, ids, member, rows, randomBytes } = context;
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const grants = grantsOf(input.grants);
  const excess = refuseGrants(context, grants);
  if (excess !== null) return excess;
  const { email } = input;
  if (email !== null && (await isEmailTaken(rows, email))) return emailTaken;
  const code = formToken(randomTokenCharacters(randomBytes), "invitation");
  const createdAt = clock.now();
  const invitation: InvitationReading = {
    id: ids.invitation(),
    email,
    grants,
    invitedBy: member === null ? null : pick(member, ["id", "name"]),
    createdAt,
    expiresAt: createdAt + input.expires_in_days * DAY_MS,
  };
  const created = invitationChange("invitation.created", invitation);
  const entry = requestEntry(context, created);
  const recorded = changeWrites(rows, { event: requestEvent(context, created.event), audit: entry });
  const added = await insertInvitation(
    rows,
    invitation,
    await secretHash(code),
    projectsOf(grants),
    context,
    recorded,
    entry.id,
  );
  switch (added.outcome) {
    case "inserted": {
      announceLater(context);
      const link = `${dashboardPage(context.origin, "/join")}#code=${code}`;
      const isMailed = email !== null && context.mail !== null;
      if (isMailed) mailInvitation(context, email, link);
      return succeed({ ...invitationView(added.invitation), link, is_mailed: isMailed });
    }
    case "no_such_projects":
      return refuseGrantProjects(input.grants, added.projectIds);
    case "too_many":
      return (
        (await refuseEnded(context)) ?? tooMany("members and open invitations", "Remove some.", MAX_MEMBERS)
      );
  }
}

function mailInvitation(
  { clock, mail, account, member, origin, defer }: Context,
  to: string,
  link: string,
): void {
  const title = `You are invited to ${account.name}`;
  const inviter = member === null ? "Somebody" : member.name;
  const lines = [
    `${inviter} invites you to the account ${account.name} of Gantry at ${origin}.`,
    "The link works once. If you did not expect it, ignore this mail.",
  ];
  const sent = mail?.(
    mailOf(
      {
        level: "info",
        at: timestamp(clock.now()),
        title,
        lines,
        code: null,
        fields: [],
        links: [{ text: "Join", url: link }],
      },
      to,
    ),
  );
  const failed = (error: unknown) => logFailure("mail an invitation", { account_id: account.id }, error);
  if (sent !== undefined)
    defer(sent.then((problem) => (problem === null ? undefined : failed(problem)), failed));
}

/** Withdraws an invitation. */
export async function deleteInvitation(
  context: Context,
  id: InvitationId,
): Promise<Result<null, "not_found">> {
  const invitation = await findInvitation(context.rows, id);
  if (invitation === null) return notFound("invitation");
  const recorded = requestWrites(context, invitationChange("invitation.deleted", invitation));
  if (!(await removeInvitation(context.rows, id, recorded))) return notFound("invitation");
  announceLater(context);
  return succeed(null);
}

function invitationChange(
  type: "invitation.created" | "invitation.deleted",
  { id, email, grants }: InvitationReading,
) {
  return {
    event: { type, data: { invitation: { id, email } } },
    target: { type: "invitation", id, name: email },
    projectId: null,
    ...(type === "invitation.created" && {
      changes: { grants: { before: null, after: grants.map(grantView) } },
    }),
  } satisfies RequestChange;
}
