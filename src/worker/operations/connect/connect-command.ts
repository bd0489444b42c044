import {
  type ClaimedToken,
  type ClaimTokenInput,
  CONNECT_MINUTES,
  type ConnectGrant,
  type ConnectInput,
  MAX_PENDING_CONNECTS,
} from "#contract/endpoints/connect/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import { inOrder, missingScopes, onceEach } from "#domain/token-grant.ts";
import { bytesOf, toBase64Url } from "#sealing/bytes.ts";
import type { Context, OpenContext } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import {
  findConnectGrant,
  insertConnectGrant,
  takeConnectGrant,
} from "#worker/db/connect/connect-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import { memberOf } from "#worker/operations/profile/member-of.ts";
import { refuseEnded, tooMany } from "#worker/operations/refusals.ts";
import { refuseExcess, refuseUnknownProjects } from "#worker/operations/tokens/grant-refusals.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { timestamp } from "#worker/views/timestamp.ts";

const CONNECT_MS = CONNECT_MINUTES * 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;

type ConnectRefusal = "insufficient_scope" | "invalid_request" | "reauthentication_required" | "too_many";

/**
 * Allows the command with a verifier to take a token of the member of the session. The member must have each scope in some
 * project; where they have it is decided at each use of the token.
 */
export async function connectCommand(
  context: Context,
  input: ConnectInput,
): Promise<Result<ConnectGrant, ConnectRefusal>> {
  const { rows, permissions, clock } = context;
  const member = memberOf(context);
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const scopes = inOrder(input.scopes);
  const missing = missingScopes(permissions, scopes);
  if (missing !== null) return refuseExcess(missing);
  const now = clock.now();
  const grant = {
    id: input.challenge,
    memberId: member.id,
    proofChallenge: input.proof_challenge,
    name: input.name,
    scopes,
    projectIds: onceEach(input.project_ids),
    lifetimeDays: input.expires_in_days,
    expiresAt: now + CONNECT_MS,
  };
  const recorded = requestWrites(context, {
    // The token's event follows when the command takes it.
    event: null,
    target: { type: "member", id: member.id, name: member.name },
    projectId: null,
    changes: {
      token: { before: null, after: grant.name },
      scopes: { before: null, after: scopes },
      project_ids: { before: null, after: grant.projectIds },
    },
  });
  const inserted = await insertConnectGrant(rows, grant, now, context, recorded);
  switch (inserted.outcome) {
    case "inserted":
      return succeed({ expires_at: timestamp(inserted.expiresAt) });
    case "exists":
      return refuse("invalid_request", "This sign-in was allowed before. Start gantry login again.", [
        { pointer: "/challenge", message: "must be of a new sign-in" },
      ]);
    case "no_such_projects":
      return refuseUnknownProjects(input.project_ids ?? [], inserted.projectIds);
    case "too_many_grants":
      return refuse(
        "too_many",
        `You have allowed ${MAX_PENDING_CONNECTS} commands that have not taken their token. Wait ${CONNECT_MINUTES} minutes.`,
      );
    case "too_many_tokens":
      return (
        (await refuseEnded(context)) ??
        tooMany("tokens", "Revoke some. Expired tokens count until they are revoked.")
      );
  }
}

/** The same for all reasons, so that a stranger learns nothing. */
const pending = refuse(
  "sign_in_pending",
  "Nobody has allowed this sign-in yet. Open the page that the command shows, and try again in two seconds.",
);

/** Gives the token that a member has allowed to the command with the verifier, once. Before that, it only reads. */
export async function claimToken(
  context: OpenContext,
  { verifier, proof }: ClaimTokenInput,
): Promise<Result<ClaimedToken, "rate_limited" | "sign_in_pending">> {
  const limited = await context.limitClaims();
  if (limited !== null) return limited;
  const claim = {
    challenge: await challengeOf(verifier),
    proofChallenge: proof === undefined ? null : await challengeOf(proof),
  };
  const now = context.clock.now();
  const found = await findConnectGrant(context.database, claim, now);
  if (found === null) return pending;
  const { accountId, memberId, memberName, name, scopes, projectIds, lifetimeDays } = found;
  const secret = formToken(randomTokenCharacters(context.randomBytes));
  const token = {
    id: context.ids.token(),
    hash: await secretHash(secret),
    ...{ name, scopes, projectIds, memberId },
    createdAt: now,
    expiresAt: now + lifetimeDays * DAY_MS,
  };
  const rows = new AccountRows(context.database, accountId);
  const member = { id: memberId, name: memberName };
  const recorded = requestWrites({ ...context, rows, token, member }, tokenChange("token.created", token));
  if (!(await takeConnectGrant(rows, claim, token, recorded))) return pending;
  announceLater({ ...context, account: { id: accountId } });
  return succeed({ id: token.id, token: secret, expires_at: timestamp(token.expiresAt) });
}

/** SHA-256 in base64url. Source: RFC 7636 section 4.2. */
async function challengeOf(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(verifier))));
}
