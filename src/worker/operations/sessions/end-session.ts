import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { Context } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { markSessionEnded } from "#worker/db/sessions/session-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";

/** Ends the session of the request immediately. Refuses an API token, because others may use it. */
export async function endSession(context: Context): Promise<Result<null, "not_found">> {
  const { id, name } = context.token;
  // The rows of the request may lack the session itself: a person may have roles in some projects only.
  const rows = new AccountRows(context.session.database, context.account.id);
  const change = tokenChange("token.revoked", context.token);
  const recorded = requestWrites(context, { ...change, target: { type: "session", id, name } });
  if (!(await markSessionEnded(rows, id, context.clock.now(), recorded)))
    return refuse(
      "not_found",
      "This token is not a session. Revoke API tokens with DELETE /v1/tokens/{token_id}.",
    );
  announceLater(context);
  context.forgetToken(id);
  return succeed(null);
}
