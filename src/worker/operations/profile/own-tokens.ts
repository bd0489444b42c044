import type { OwnTokens } from "#contract/endpoints/profile/schemas.ts";
import type { CreateTokenInput, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import type { TokenId } from "#contract/ids.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { endMemberSessions } from "#worker/db/sessions/session-records.ts";
import {
  findOwnToken,
  listOwnTokens as readOwnTokens,
  revokeOwnToken as markRevoked,
} from "#worker/db/tokens/token-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import { memberOf } from "#worker/operations/profile/member-of.ts";
import { notFound } from "#worker/operations/refusals.ts";
import { addToken } from "#worker/operations/tokens/change-tokens.ts";
import { tokenView } from "#worker/views/token-view.ts";

/** Lists the sessions and personal tokens of the member of the session. */
export async function listOwnTokens(context: Context): Promise<Result<OwnTokens, never>> {
  const now = context.clock.now();
  const own = await readOwnTokens(context.rows, memberOf(context).id, now);
  return succeed({ tokens: own.map((token) => tokenView(token, now)) });
}

/** Creates a token of the member of the session, with at most what they may do. */
export async function createOwnToken(
  context: Context,
  input: CreateTokenInput,
): Promise<
  Result<TokenWithSecret, "insufficient_scope" | "invalid_request" | "reauthentication_required" | "too_many">
> {
  const { id, name } = memberOf(context);
  return await addToken(context, input, { memberId: id, memberName: name, createdBy: null });
}

/** Revokes a session or a personal token of the member of the session. */
export async function revokeOwnToken(context: Context, id: TokenId): Promise<Result<null, "not_found">> {
  const { id: memberId } = memberOf(context);
  const token = await findOwnToken(context.rows, memberId, id);
  if (token === null) return notFound("token");
  const type = token.kind === "session" ? "session" : "token";
  const change = tokenChange("token.revoked", token);
  const recorded = requestWrites(context, { ...change, target: { type, id, name: token.name } });
  if (!(await markRevoked(context.rows, memberId, id, context.clock.now(), recorded)))
    return notFound("token");
  announceLater(context);
  context.forgetToken(id);
  return succeed(null);
}

/** Ends all sessions of the member of the session, also this one. */
export async function endOwnSessions(context: Context): Promise<Result<null, never>> {
  const { id, name } = memberOf(context);
  const target = { type: "member", id, name } as const;
  const recorded = requestWrites(context, { event: null, target, projectId: null });
  await endMemberSessions(context.rows, id, context.clock.now(), recorded);
  context.forgetMember(id);
  return succeed(null);
}
