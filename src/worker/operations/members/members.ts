import type {
  Member,
  MemberDetails,
  MemberRows,
  UpdateMemberInput,
} from "#contract/endpoints/members/schemas.ts";
import { MemberId } from "#contract/ids.ts";
import type { PageQuery } from "#contract/paging.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import type { Write } from "#worker/db/account-rows.ts";
import {
  changeMember,
  createdByMember,
  findMember,
  listMembers as readMembers,
  type MemberReading,
  removeMember as deleteMember,
} from "#worker/db/members/member-records.ts";
import { unknownProjects } from "#worker/db/projects/list-projects.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { differences } from "#worker/operations/changes/targets.ts";
import {
  emailTaken,
  grantsOf,
  projectsOf,
  refuseGrantProjects,
  refuseGrants,
} from "#worker/operations/members/grants.ts";
import { notFound, refuseEnded } from "#worker/operations/refusals.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { readAll } from "#worker/paging.ts";
import { memberView } from "#worker/views/member-view.ts";

/** Lists the members, newest first: all of them, or one page if the query has a limit. */
export async function listMembers(
  { rows }: Context,
  query: PageQuery,
): Promise<Result<MemberRows, "invalid_request">> {
  const page = await readAll("members", MemberId, (position) => readMembers(rows, position), query);
  if (!page.ok) return page;
  return succeed({
    members: page.value.rows.map((member) => memberView(member)),
    next_cursor: page.value.nextCursor,
  });
}

/** Returns a member, and what they have created that outlives them. */
export async function getMember(
  { rows }: Context,
  id: MemberId,
): Promise<Result<MemberDetails, "not_found">> {
  const [member, created] = await Promise.all([findMember(rows, id), createdByMember(rows, id)]);
  if (member === null) return notFound("member");
  const { tokens, trustRules } = created;
  return succeed({
    ...memberView(member),
    created: { tokens: [...tokens], trust_rules: [...trustRules] },
  });
}

type MemberRefusal =
  | "email_taken"
  | "insufficient_scope"
  | "invalid_request"
  | "last_owner"
  | "not_found"
  | "person_required"
  | "reauthentication_required"
  | "unavailable";

/** How often a change is tried that another one crosses. */
const TRIES = 3;

/** Changes a member. Only owners who are signed in change owners, and who is one. */
export async function updateMember(
  context: Context,
  id: MemberId,
  input: UpdateMemberInput,
): Promise<Result<Member, MemberRefusal>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const changed = await tryUpdate(context, id, input);
    if (changed !== null) return changed;
  }
  return refuse("unavailable", "Others change this member at the same time. Try again.");
}

/** @returns null if the member was changed meanwhile */
async function tryUpdate(
  context: Context,
  id: MemberId,
  input: UpdateMemberInput,
): Promise<Result<Member, MemberRefusal> | null> {
  const before = await findMember(context.latestRows, id);
  if (before === null) return notFound("member");
  const after = changedBy(before, input);
  const changes = differences(shownOf(before), shownOf(after));
  if (Object.keys(changes).length === 0) return succeed(memberView(before));
  const refused =
    before.isOwner || after.isOwner
      ? refuseOwnerChange(context)
      : refuseRiskyChange(context, before, changes);
  if (refused !== null) return refused;
  const wrongGrants = await refuseNewGrants(context, input);
  if (wrongGrants !== null) return wrongGrants;
  const recorded = memberWrites(context, "member.updated", after, changes);
  switch (await changeMember(context.rows, before, after, context, recorded)) {
    case "changed":
      announceLater(context);
      context.forgetMember(id);
      return succeed(memberView(after));
    case "email_taken":
      return emailTaken;
    case "not_changed": {
      const ended = await refuseEnded(context);
      if (ended !== null) return ended;
      return before.isOwner && !after.isOwner ? await refuseLastOwner(context, before) : null;
    }
  }
}

function changedBy(
  before: MemberReading,
  { name, email, is_owner: isOwner, grants }: UpdateMemberInput,
): MemberReading {
  return {
    ...before,
    name: name ?? before.name,
    email: email === undefined ? before.email : email,
    isOwner: isOwner ?? before.isOwner,
    grants: grants === undefined ? before.grants : grantsOf(grants),
  };
}

async function refuseNewGrants(context: Context, { grants }: UpdateMemberInput) {
  if (grants === undefined) return null;
  const stored = grantsOf(grants);
  const excess = refuseGrants(context, stored);
  if (excess !== null) return excess;
  const wanted = projectsOf(stored);
  const unknown = wanted.length === 0 ? [] : await unknownProjects(context.rows, wanted);
  return unknown.length === 0 ? null : refuseGrantProjects(grants, unknown);
}

/**
 * Refuses a change of the roles or the address of a member that was not confirmed. Single sign-on and `npm run sign-in` find a member
 * by the address, so a caller who changes it must have the member's rights.
 */
function refuseRiskyChange(
  context: Context,
  { grants }: MemberReading,
  changes: ReturnType<typeof differences>,
) {
  const isOfAddress = "email" in changes;
  if (!isOfAddress && !("grants" in changes)) return null;
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null || !isOfAddress || refuseGrants(context, grants) === null) return unconfirmed;
  return refuse("insufficient_scope", "You cannot change the address of a member who may do more than you.");
}

/** Refuses a change of an owner, except to an owner who has just confirmed that it is them. */
function refuseOwnerChange(context: Context) {
  const { token, member } = context;
  if (token.kind !== "session" || member?.isOwner !== true)
    return refuse("person_required", "Only an owner who is signed in to the dashboard can change an owner.");
  return refuseUnconfirmed(context);
}

/** @returns null if the member was changed meanwhile, so that they may be no longer the last owner */
async function refuseLastOwner({ latestRows }: Context, before: MemberReading) {
  const now = await findMember(latestRows, before.id);
  if (now === null) return notFound("member");
  const isUnchanged = JSON.stringify(shownOf(now)) === JSON.stringify(shownOf(before));
  return isUnchanged ? lastOwner : null;
}

const lastOwner = refuse(
  "last_owner",
  "This is the last owner of the account. Make another member an owner first.",
);

type RemovalRefusal =
  | "insufficient_scope"
  | "last_owner"
  | "not_found"
  | "person_required"
  | "reauthentication_required"
  | "unavailable";

/** Removes a member with their sessions, personal tokens and passkeys. Only owners who are signed in remove owners. */
export async function removeMember(context: Context, id: MemberId): Promise<Result<null, RemovalRefusal>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const removed = await tryRemoval(context, id);
    if (removed !== null) return removed;
  }
  return refuse("unavailable", "Others change this member at the same time. Try again.");
}

/** @returns null if the member was changed meanwhile */
async function tryRemoval(context: Context, id: MemberId): Promise<Result<null, RemovalRefusal> | null> {
  const before = await findMember(context.latestRows, id);
  if (before === null) return notFound("member");
  const refused = before.isOwner ? refuseOwnerChange(context) : null;
  if (refused !== null) return refused;
  const recorded = memberWrites(context, "member.removed", before);
  if (!(await deleteMember(context.rows, before, context.clock.now(), context, recorded)))
    return (await refuseEnded(context)) ?? (before.isOwner ? await refuseLastOwner(context, before) : null);
  announceLater(context);
  context.forgetMember(id);
  return succeed(null);
}

/** The fields of a member that the audit log records, by the names of the API. */
function shownOf(reading: MemberReading) {
  const { name, email, is_owner, grants } = memberView(reading);
  return { name, email, is_owner, grants };
}

function memberWrites(
  context: Context,
  type: "member.updated" | "member.removed",
  { id, name }: Pick<MemberReading, "id" | "name">,
  changes: ReturnType<typeof differences> = {},
): Write[] {
  return requestWrites(context, {
    event: { type, data: { member: { id, name }, changed: Object.keys(changes) } },
    target: { type: "member", id, name },
    projectId: null,
    changes,
  });
}
