import type { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { allScopes } from "#contract/scopes.ts";
import { formToken, isWellFormedToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { Context, OpenContext } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { findSignInAccount, markSessionEnded, spendSignInCode } from "#worker/db/sessions/session-records.ts";
import { announceLater } from "#worker/objects/event-feed/announce.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** A working day. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;

/** The name of sessions, which deployments show as their actor. */
const NAME = "dashboard";

const invalid = refuse(
  "invalid_token",
  "The sign-in link is malformed, unknown, expired or already used. Create a new one.",
);

/** Exchanges the code of a sign-in link, which works once, for a session: a token with all scopes for 12 hours. */
export async function createSession(
  context: OpenContext,
  { code }: CreateSessionInput,
): Promise<Result<SessionCreated, "invalid_token" | "rate_limited">> {
  const refused = async () => (await context.limitFailures()) ?? invalid;
  if (!isWellFormedToken(code, "sign_in")) return await refused();
  const codeHash = await secretHash(code);
  const now = context.clock.now();
  const accountId = await findSignInAccount(context.database, codeHash, now);
  if (accountId === null) return await refused();
  const id = context.ids.token();
  const expiresAt = now + LIFETIME_MS;
  const token = formToken(randomTokenCharacters(context.randomBytes), "session");
  const hash = await secretHash(token);
  const session = { id, name: NAME, scopes: [...allScopes], createdAt: now, expiresAt };
  const rows = new AccountRows(context.database, accountId);
  const change = {
    ...tokenChange("token.created", session),
    target: { type: "session", id, name: NAME },
  } as const;
  const recorded = requestWrites({ ...context, rows, token: session }, change);
  if (!(await spendSignInCode(rows, codeHash, { ...session, hash }, recorded))) return await refused();
  announceLater({ ...context, account: { id: accountId } });
  return succeed({ id, token, expires_at: timestamp(expiresAt) });
}

/** Ends the session of the request immediately. Refuses an API token, because others may use it. */
export async function endSession(context: Context): Promise<Result<null, "not_found">> {
  const { id, name } = context.token;
  const change = tokenChange("token.revoked", context.token);
  const recorded = requestWrites(context, { ...change, target: { type: "session", id, name } });
  if (!(await markSessionEnded(context.rows, id, context.clock.now(), recorded)))
    return refuse(
      "not_found",
      "This token is not a session. Revoke API tokens with DELETE /v1/tokens/{token_id}.",
    );
  announceLater(context);
  context.forgetToken(id);
  return succeed(null);
}
