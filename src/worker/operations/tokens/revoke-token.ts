import type { TokenId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { markTokenRevoked } from "#worker/db/tokens/mark-token-revoked.ts";
import { notFound } from "#worker/operations/not-found.ts";

/** Ends a token at once. It may reach further than the one that asks: whoever sees a leak should be able to stop it. */
export async function revokeToken(
  context: Context,
  id: TokenId,
): Promise<Result<null, "not_found" | "last_token">> {
  const revocation = await markTokenRevoked(context.rows, id, context.clock.now());
  switch (revocation) {
    case "revoked":
      context.forgetToken(id);
      return succeed(null);
    case "not_found":
      return notFound("token");
    case "last_token":
      return refuse(
        "last_token",
        "Without this token nothing in the account could make tokens any more. Make another one with the scope tokens:write and no limit to projects (POST /v1/tokens), then revoke this one with it; or rotate this one.",
      );
  }
}
