import type { CreateTokenInput, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import type { TokenId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import { excessOver, inOrder, missingScopes, onceEach } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import {
  findToken,
  insertToken,
  markTokenRevoked,
  replaceTokenSecret,
  type TokenReading,
} from "#worker/db/tokens/token-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { personBehind, requestWrites, settingsOrigin } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import { notFound, refuseEnded, tooMany } from "#worker/operations/refusals.ts";
import { refuseExcess, refuseUnknownProjects } from "#worker/operations/tokens/grant-refusals.ts";
import { refuseUnconfirmed } from "#worker/operations/sessions/confirmation.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { tokenView } from "#worker/views/token-view.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

type CreateRefusal = "insufficient_scope" | "invalid_request" | "reauthentication_required" | "too_many";

/** Creates a service token with at most the rights of the caller. */
export async function createToken(
  context: Context,
  input: CreateTokenInput,
): Promise<Result<TokenWithSecret, CreateRefusal>> {
  return await addToken(context, input, {
    memberId: null,
    memberName: null,
    createdBy: personBehind(context),
  });
}

/** Creates a token of a member, or a service token if `memberId` is null. */
export async function addToken(
  context: Context,
  input: CreateTokenInput,
  belonging: Pick<TokenReading, "memberId" | "memberName" | "createdBy">,
): Promise<Result<TokenWithSecret, CreateRefusal>> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const scopes = inOrder(input.scopes);
  const projectIds = onceEach(input.project_ids);
  const { permissions } = context;
  const excess =
    belonging.memberId === null
      ? excessOver(permissions, { scopes, projectIds })
      : missingScopes(permissions, scopes);
  if (excess !== null) return refuseExcess(excess);
  const { secret, hash } = await newTokenSecret(context);
  const now = context.clock.now();
  const token = {
    id: context.ids.token(),
    kind: "token" as const,
    name: input.name,
    scopes,
    projectIds,
    createdAt: now,
    rotatedAt: null,
    expiresAt: now + input.expires_in_days * DAY_MS,
    previousExpiresAt: null,
    lastUsedAt: null,
    ...belonging,
  };
  const recorded = requestWrites(context, tokenChange("token.created", token));
  const insertion = await insertToken(context.rows, token, hash, context, recorded);
  switch (insertion.outcome) {
    case "inserted":
      announceLater(context);
      return succeed({ ...tokenView(insertion.token, now), token: secret });
    case "no_such_projects":
      return refuseUnknownProjects(input.project_ids ?? [], insertion.projectIds);
    case "too_many":
      return (
        (await refuseEnded(context)) ??
        tooMany("tokens", "Revoke some. Expired tokens count until they are revoked.")
      );
  }
}

/** How long the replaced secret keeps working, so that its users can switch. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Gives a token a new secret and restarts its lifetime. A service token then counts as the member who has rotated it. The previous secret of an earlier rotation stops working at
 * once. The caller gets the secret, so the token must not have more rights than the caller's token. A retry with the same
 * Idempotency-Key makes the same secret, and changes nothing if that exists.
 */
export async function rotateToken(
  context: Context,
  id: TokenId,
): Promise<Result<TokenWithSecret, "insufficient_scope" | "not_found" | "reauthentication_required">> {
  const unconfirmed = refuseUnconfirmed(context);
  if (unconfirmed !== null) return unconfirmed;
  const token = await findToken(context.rows, id);
  if (token === null) return notFound("token");
  // A person who gets its secret acts as the member.
  if (token.memberId !== null && token.memberId !== context.member?.id)
    return refuse("not_found", "This is the personal token of a member, which nobody else can rotate.");
  // A session or a job that can rotate its token would keep it forever.
  if (token.kind === "session")
    return refuse("not_found", "This token is a session. Sessions cannot be rotated: sign in again instead.");
  if (token.kind === "exchange")
    return refuse("not_found", "A job got this token by a trust rule. Such tokens cannot be rotated.");
  const excess = excessOver(context.permissions, token);
  if (excess !== null) return refuseExcess(excess);
  const { secret, hash } = await newTokenSecret(context);
  const now = context.clock.now();
  const createdBy = token.memberId === null ? personBehind(context) : null;
  const changes = { rotatedAt: now, expiresAt: now + lifetimeMs(token), createdBy };
  const replacement = { hash, ...changes, previousExpiresAt: now + OVERLAP_MS };
  const recorded = requestWrites(context, tokenChange("token.rotated", token));
  const rotation = await replaceTokenSecret(context.rows, id, replacement, context, recorded);
  switch (rotation.outcome) {
    case "replaced": {
      announceLater(context);
      context.forgetToken(id);
      const previousExpiresAt = Math.min(token.expiresAt, now + OVERLAP_MS);
      return succeed({ ...tokenView({ ...token, ...changes, previousExpiresAt }, now), token: secret });
    }
    case "replaced_before":
      context.forgetToken(id);
      return succeed({ ...tokenView(rotation.token, now), token: secret });
    case "not_found":
      return (await refuseEnded(context)) ?? notFound("token");
  }
}

/** A rotation does not change the length of the lifetime. */
function lifetimeMs({ createdAt, rotatedAt, expiresAt }: TokenReading): number {
  return expiresAt - (rotatedAt ?? createdAt);
}

/** Revokes a token immediately. It may have more rights than the token of the request, so that anyone can stop a leak. */
export async function revokeToken(
  context: Context,
  id: TokenId,
): Promise<Result<null, "not_found" | "last_token">> {
  const revocation = await markTokenRevoked(
    context.rows,
    id,
    context.clock.now(),
    settingsOrigin(context, null),
  );
  switch (revocation) {
    case "revoked":
      announceLater(context);
      context.forgetToken(id);
      return succeed(null);
    case "not_found":
      return notFound("token");
    case "last_token":
      return refuse(
        "last_token",
        "This is the last token that can create tokens in the account. Rotate it, or first create another token with the scope tokens:write and without project_ids (POST /v1/tokens) and use that token to revoke this one.",
      );
  }
}

/** Creates a secret for a token. Only its hash is stored; the secret itself is returned once. */
async function newTokenSecret(context: Context): Promise<{ readonly secret: string; readonly hash: string }> {
  const secret = formToken(randomTokenCharacters(context.randomBytes));
  return { secret, hash: await secretHash(secret) };
}
