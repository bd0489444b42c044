import { refuse, type Result, succeed } from "#contract/problems.ts";
import type { CreateSessionInput, SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { formToken, isWellFormedToken, randomTokenCharacters } from "#contract/token-form.ts";
import type { OpenContext } from "#worker/context.ts";
import { hasSignInCode, spendSignInCode } from "#worker/db/sessions/spend-sign-in-code.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** A working day. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;

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
  if (!(await hasSignInCode(context.database, codeHash, now))) return await refused();
  const session = { id: context.ids.token(), createdAt: now, expiresAt: now + LIFETIME_MS };
  const token = formToken(randomTokenCharacters(context.randomBytes), "session");
  const hash = await secretHash(token);
  if (!(await spendSignInCode(context.database, codeHash, { ...session, hash }))) return await refused();
  return succeed({ id: session.id, token, expires_at: timestamp(session.expiresAt) });
}
