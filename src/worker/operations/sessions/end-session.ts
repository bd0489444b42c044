import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { markSessionEnded } from "#worker/db/sessions/mark-session-ended.ts";

/** Ends the session that asks, at once. An API token stays, for others may use it. */
export async function endSession(context: Context): Promise<Result<null, "not_found">> {
  const { id } = context.token;
  if (!(await markSessionEnded(context.rows, id, context.clock.now())))
    return refuse("not_found", "The token that asks is no session. DELETE /v1/tokens/{id} revokes it.");
  context.forgetToken(id);
  return succeed(null);
}
