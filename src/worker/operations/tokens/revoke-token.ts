import type { TokenId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { markTokenRevoked } from "#worker/db/tokens/token-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { settingsOrigin } from "#worker/operations/changes/request-changes.ts";
import { notFound } from "#worker/operations/refusals.ts";

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
