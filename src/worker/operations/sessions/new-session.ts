import type { MemberReference } from "#contract/endpoints/members/reference.ts";
import type { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import type { AccountId, ConnectionId } from "#contract/ids.ts";
import { allScopes, type Scope } from "#contract/scopes.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";
import { deviceOf } from "#domain/members/device-of.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows, type Write } from "#worker/db/account-rows.ts";
import type { EventContent } from "#worker/db/changes/change-writes.ts";
import type { NewSession } from "#worker/db/sessions/session-records.ts";
import { requestWrites } from "#worker/operations/changes/request-changes.ts";
import { tokenChange } from "#worker/operations/changes/targets.ts";
import { secretHash } from "#worker/secret-hash.ts";
import { timestamp } from "#worker/views/timestamp.ts";

/** A working day. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;

/** The name of a session that is nobody's, which deployments show as their actor, or whose browser is not known. */
const NAME = "dashboard";

type SessionOptions = {
  readonly scopes?: readonly Scope[];
  readonly lifetimeMs?: number;
  /** Whether it counts as confirmed. */
  readonly isConfirmed?: boolean;
  /** The connection by which the member signed in; null: a passkey, a link or a code. */
  readonly connectionId?: ConnectionId | null;
};

/** A session that is about to be created, with its secret. `scopes`: as far as its member has them. */
export async function newSession(
  { ids, randomBytes, clock, raw }: Pick<OpenContext, "ids" | "randomBytes" | "clock" | "raw">,
  memberId: MemberReference["id"] | null,
  {
    scopes = allScopes,
    lifetimeMs = LIFETIME_MS,
    isConfirmed = memberId !== null,
    connectionId = null,
  }: SessionOptions = {},
): Promise<{ readonly secret: string; readonly session: NewSession }> {
  const secret = formToken(randomTokenCharacters(randomBytes), "session");
  const now = clock.now();
  const times = { createdAt: now, expiresAt: now + lifetimeMs, authenticatedAt: isConfirmed ? now : null };
  const hash = await secretHash(secret);
  const whose = { memberId, connectionId };
  const device = memberId === null ? null : deviceOf(raw.headers.get("user-agent") ?? "");
  const name = device ?? NAME;
  return { secret, session: { id: ids.token(), name, hash, scopes: [...scopes], ...whose, ...times } };
}

/** A session in the API. @param signOutUrl where the provider ends its own session; null: nowhere */
export function sessionView(
  { secret, session }: { readonly secret: string; readonly session: NewSession },
  member: MemberReference | null,
  signOutUrl: string | null = null,
): SessionCreated {
  const { id, expiresAt } = session;
  return { id, token: secret, expires_at: timestamp(expiresAt), member, sign_out_url: signOutUrl };
}

type SignedIn = {
  readonly accountId: AccountId;
  readonly member: MemberReference | null;
  /** How they signed in, for the audit log. */
  readonly method: string;
};

/** The rows of the account, and the writes that record a new session. @param event null: as a new token */
export function recordedSession(
  context: OpenContext,
  { accountId, member, method }: SignedIn,
  session: NewSession,
  event: EventContent | null = null,
): { readonly rows: AccountRows; readonly recorded: Write[] } {
  const rows = new AccountRows(context.database, accountId);
  const { id, name, scopes } = session;
  const change = tokenChange("token.created", { id, name, scopes });
  const recorded = requestWrites(
    { ...context, rows, token: session, member },
    {
      ...change,
      ...(event !== null && { event }),
      target: { type: "session", id, name },
      changes: { method: { before: null, after: method } },
    },
  );
  return { rows, recorded };
}
