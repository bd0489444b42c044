import type { TokenId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { excessOver } from "#domain/token-grant.ts";
import type { Context } from "#worker/context.ts";
import { findToken } from "#worker/db/tokens/find-token.ts";
import { replaceTokenSecret } from "#worker/db/tokens/replace-token-secret.ts";
import type { TokenReading } from "#worker/db/tokens/token-reading.ts";
import { notFound } from "#worker/operations/not-found.ts";
import { newTokenSecret } from "#worker/operations/tokens/new-token-secret.ts";
import { refuseExcess } from "#worker/operations/refuse-excess.ts";
import { tokenView } from "#worker/views/token-view.ts";

/** How long the secret that is replaced goes on working, so that its users can be changed over. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Gives a token a new secret and its whole lifetime anew. A secret that was still there from an earlier rotation stops
 * working at once. Whoever asks gets to use the token, so it may reach no further than the one that they ask with.
 */
export async function rotateToken(
  context: Context,
  id: TokenId,
): Promise<Result<TokenWithSecret, "insufficient_scope" | "not_found">> {
  const token = await findToken(context.rows, id);
  if (token === null) return notFound("token");
  // It would never have to end.
  if (token.kind === "session")
    return refuse("not_found", "This token is a session. Sessions cannot be rotated: sign in again instead.");
  const excess = excessOver(context.token, token);
  if (excess !== null) return refuseExcess(excess);
  const { secret, hash } = await newTokenSecret(context);
  const now = context.clock.now();
  const previousExpiresAt = Math.min(token.expiresAt, now + OVERLAP_MS);
  const changes = { rotatedAt: now, expiresAt: now + lifetimeMs(token), previousExpiresAt };
  if (!(await replaceTokenSecret(context.rows, id, { hash, ...changes }))) return notFound("token");
  context.forgetToken(id);
  return succeed({ ...tokenView({ ...token, ...changes }, now), token: secret });
}

/** No rotation changes it. */
function lifetimeMs({ createdAt, rotatedAt, expiresAt }: TokenReading): number {
  return expiresAt - (rotatedAt ?? createdAt);
}
