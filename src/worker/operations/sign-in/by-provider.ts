import type { MemberReference } from "#contract/endpoints/members/reference.ts";
import type { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import type { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { pick } from "#contract/lib/pick.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { isWellFormedToken } from "#contract/token-form.ts";
import { decideSignIn, type SignInDecision, trustedAddress } from "#domain/sign-in/decide-sign-in.ts";
import type { ProviderPerson } from "#domain/sign-in/provider-person.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows, type Write } from "#worker/db/account-rows.ts";
import {
  findKnownPerson,
  type GrantsChange,
  joinByIdentity,
  type ProviderOutcome,
  signInByIdentity,
} from "#worker/db/connections/sign-in-records.ts";
import type { NewSession } from "#worker/db/sessions/session-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { emailTaken } from "#worker/operations/members/grants.ts";
import { identityWrites, newIdentity } from "#worker/operations/profile/identity-changes.ts";
import { recordRefusedSignIn } from "#worker/operations/sessions/record-refused-sign-in.ts";
import { newSession, recordedSession, sessionView } from "#worker/operations/sessions/new-session.ts";
import {
  type AnswerRefusal,
  readAnswer,
  type ReadAnswer,
  usedBefore,
} from "#worker/operations/sign-in/provider-answer.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { grantView } from "#worker/views/member-view.ts";

const HOUR_MS = 60 * 60 * 1000;

type ProviderRefusal = AnswerRefusal | "email_taken" | "rate_limited" | "sso_required";
type Signed = Result<SessionCreated, ProviderRefusal>;

/**
 * Signs in the person whom a provider names: a member whose identity it is, somebody whom the connection lets join, or somebody with an
 * invitation. @param invitationCode null: none was sent
 */
export async function signInByProvider(
  context: OpenContext,
  given: ProviderAnswer,
  invitationCode: string | null,
): Promise<Signed> {
  const answer = await readAnswer(context, given, { act: "sign_in" });
  if (!answer.ok)
    return answer.refusal.code === "provider_unreachable"
      ? answer
      : ((await context.limitFailures()) ?? answer);
  const decided = await decide(context, answer.value, invitationCode);
  switch (decided.kind) {
    case "member":
      return await signIn(context, answer.value, decided);
    case "join":
      return await join(context, answer.value, decided);
    case "refuse":
      if (decided.member !== null)
        await recordRefusedSignIn(context, answer.value.connection.accountId, decided.member, decided.code);
      return (await context.limitFailures()) ?? refuse(decided.code, decided.problem);
  }
}

const invalidInvitation = {
  kind: "refuse",
  code: "sign_in_refused",
  member: null,
  problem:
    "The invitation is malformed, unknown, expired, withdrawn or already used. Ask for a new one, or sign in without it if you are a member.",
} as const;

async function decide(
  { database, clock }: OpenContext,
  { connection, person }: ReadAnswer,
  invitationCode: string | null,
): Promise<SignInDecision> {
  const isCode = invitationCode !== null && isWellFormedToken(invitationCode, "invitation");
  const known = await findKnownPerson(
    new AccountRows(database, connection.accountId),
    {
      connectionId: connection.id,
      subject: person.subject,
      address: trustedAddress(connection, person),
      invitationHash: isCode ? await secretHash(invitationCode) : null,
    },
    clock.now(),
  );
  if (invitationCode !== null && known.member === null && known.invitation === null) return invalidInvitation;
  return decideSignIn(connection, person, known);
}

async function signIn(
  context: OpenContext,
  answer: ReadAnswer,
  { member: found, isNew, grants }: Extract<SignInDecision, { kind: "member" }>,
): Promise<Signed> {
  const { connection, state } = answer;
  const member = pick(found, ["id", "name"]);
  const made = await sessionBy(context, answer, found.id);
  const { rows, recorded } = recordedSession(
    context,
    { accountId: connection.accountId, member, method: connection.name },
    made.session,
  );
  const sender = { ...context, rows, token: made.session, member };
  const identity = newIdentity(context, answer, found.id, made.session.createdAt);
  const added = isNew
    ? identityWrites(sender, "identity.added", { ...identity, connection: connection.name })
    : null;
  const hasChanged = JSON.stringify(grants) !== JSON.stringify(found.grants);
  const change: GrantsChange | null = hasChanged
    ? { before: found, grants, recorded: grantWrites(sender, member, found.grants, grants) }
    : null;
  const outcome = await signInByIdentity(
    rows,
    { identity, session: made.session, state },
    added,
    change,
    recorded,
  );
  return await signedIn(context, answer, made, member, outcome);
}

type Made = { readonly secret: string; readonly session: NewSession };

async function sessionBy(context: OpenContext, { connection }: ReadAnswer, memberId: MemberReference["id"]) {
  return await newSession(context, memberId, {
    lifetimeMs: connection.sessionHours * HOUR_MS,
    connectionId: connection.id,
  });
}

async function signedIn(
  context: OpenContext,
  { connection, signOutUrl }: ReadAnswer,
  made: Made,
  member: MemberReference,
  outcome: ProviderOutcome,
): Promise<Signed> {
  switch (outcome) {
    case "signed_in":
      announceLater({ ...context, account: { id: connection.accountId } });
      return succeed(sessionView(made, member, signOutUrl));
    case "used_before":
      return (await context.limitFailures()) ?? usedBefore;
    case "email_taken":
      return emailTaken;
    case "not_possible":
      return refuse(
        "sign_in_refused",
        "Something has changed at this moment, or the account has no room for another member. Start again.",
      );
  }
}

/** The writes that record that groups have changed what a member may do. */
function grantWrites(
  sender: Parameters<typeof requestWrites>[0],
  member: MemberReference,
  before: GrantsChange["grants"],
  after: GrantsChange["grants"],
): Write[] {
  return requestWrites(sender, {
    event: { type: "member.updated", data: { member, changed: ["grants"] } },
    target: { type: "member", ...member },
    projectId: null,
    changes: { grants: { before: before.map(grantView), after: after.map(grantView) } },
  });
}

async function join(
  context: OpenContext,
  answer: ReadAnswer,
  { invitationId, grants }: Extract<SignInDecision, { kind: "join" }>,
): Promise<Signed> {
  const { connection, person, state } = answer;
  const id = context.ids.member();
  const member = { id, name: nameOf(person) };
  const made = await sessionBy(context, answer, id);
  const rows = new AccountRows(context.database, connection.accountId);
  const { createdAt } = made.session;
  const recorded = requestWrites(
    { ...context, rows, token: made.session, member },
    {
      event: { type: "member.joined", data: { member, changed: [] } },
      target: { type: "member", ...member },
      projectId: null,
      changes: {
        method: { before: null, after: connection.name },
        grants: { before: null, after: grants.map(grantView) },
      },
    },
  );
  const outcome = await joinByIdentity(
    rows,
    { identity: newIdentity(context, answer, id, createdAt), session: made.session, state },
    { ...member, email: person.email, isOwner: false, grants, createdAt },
    invitationId,
    recorded,
  );
  return await signedIn(context, answer, made, member, outcome);
}

const MAX_NAME = 100;

/** The name of a new member, as far as it is one. */
function nameOf({ name, label }: ProviderPerson): string {
  const given = [name, label].map((text) => DisplayName.safeParse(text?.slice(0, MAX_NAME).trim()).data);
  return given.find((text) => text !== undefined) ?? "New member";
}
