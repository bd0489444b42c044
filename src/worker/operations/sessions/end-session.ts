import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { markSessionEnded } from "#worker/db/sessions/mark-session-ended.ts";

/** Ends the session of the request immediately. Refuses an API token, because others may use it. */
export async function endSession(context: Context): Promise<Result<null, "not_found">> {
  const { id } = context.token;
  if (!(await markSessionEnded(context.rows, id, context.clock.now())))
    return refuse(
      "not_found",
      "This token is not a session. Revoke API tokens with DELETE /v1/tokens/{token_id}.",
    );
  context.forgetToken(id);
  return succeed(null);
}
