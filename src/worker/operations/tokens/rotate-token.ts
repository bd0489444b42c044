import type { TokenId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { findToken, replaceTokenSecret, type TokenReading } from "#worker/db/tokens/token-records.ts";
import { notFound, refuseExcess } from "#worker/operations/refusals.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import { newTokenSecret } from "#worker/operations/tokens/new-token-secret.ts";
import { tokenView } from "#worker/views/token-view.ts";

/** How long the replaced secret keeps working, so that its users can switch. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Gives a token a new secret and restarts its lifetime. The previous secret of an earlier rotation stops working at
 * once. The caller gets the secret, so the token must not have more rights than the caller's token. A retry with the same
 * Idempotency-Key makes the same secret, and changes nothing if that exists.
 */
export async function rotateToken(
  context: Context,
  id: TokenId,
): Promise<Result<TokenWithSecret, "insufficient_scope" | "not_found">> {
  const token = await findToken(context.rows, id);
  if (token === null) return notFound("token");
  // A session that can be rotated would never end.
  if (token.kind === "session")
    return refuse("not_found", "This token is a session. Sessions cannot be rotated: sign in again instead.");
  const excess = excessOver(context.token, token);
  if (excess !== null) return refuseExcess(excess);
  const { secret, hash } = await newTokenSecret(context);
  const now = context.clock.now();
  const changes = { rotatedAt: now, expiresAt: now + lifetimeMs(token) };
  const replacement = { hash, ...changes, previousExpiresAt: now + OVERLAP_MS };
  const recorded = requestWrites(context, tokenChange("token.rotated", token));
  const rotation = await replaceTokenSecret(context.rows, id, replacement, recorded);
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
      return notFound("token");
  }
}

/** A rotation does not change the length of the lifetime. */
function lifetimeMs({ createdAt, rotatedAt, expiresAt }: TokenReading): number {
  return expiresAt - (rotatedAt ?? createdAt);
}
