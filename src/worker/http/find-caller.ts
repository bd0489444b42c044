import type { MemberId, TokenId } from "#contract/ids.ts";
import { refuse, type Result, succeed } from "#contract/problems.ts";
import { isWellFormedToken, type TokenKind } from "#contract/token-form.ts";
import type { Database } from "#worker/db/database-session.ts";
import { type AgentIdentity, findAgent } from "#worker/db/servers/server-records.ts";
import { findTokenHolder, type TokenHolder } from "#worker/db/tokens/find-token-holder.ts";
import { TtlCache } from "#worker/http/ttl-cache.ts";
import { secretHash } from "#worker/secret-hash.ts";

type AuthenticationRefusal = "missing_token" | "invalid_token";

/** How long a token that another isolate revoked may still be accepted here, and how many tokens are cached. */
const CACHE_LIMITS = { forMs: 10_000, atMost: 1_000 };

const invalid = refuse("invalid_token", "The bearer token is malformed, unknown, expired or revoked.");

const paused = refuse(
  "invalid_token",
  "This personal token is paused, because its member has not signed in for the days that single sign-on allows. It continues within 10 seconds when the member signs in to the dashboard.",
);

/** Finds the sender of a request by its Authorization header. One instance per isolate, because it caches senders. */
export class Authentication {
  readonly #holders = new TtlCache<TokenHolder>(CACHE_LIMITS);
  readonly #agents = new TtlCache<AgentIdentity>(CACHE_LIMITS);

  /** The holder of an API token, of a session or of a job's token. One D1 read, or none. */
  async asTokenHolder(
    database: Database,
    authorization: string | null,
    now: number,
  ): Promise<Result<TokenHolder, AuthenticationRefusal>> {
    const secret = bearerSecret(authorization, "api", "session", "exchange");
    if (!secret.ok) return secret;
    const hash = await secretHash(secret.value);
    const holder = await this.#holders.get(hash, now, () => findTokenHolder(database, hash));
    // A cached token may have expired in the meantime.
    if (holder === null || holder.token.expiresAt <= now) return invalid;
    return isPaused(holder, now) ? paused : succeed(holder);
  }

  /**
   * Whether the token of a request still counts, with the same rights. One D1 read, because another isolate may have
   * revoked it.
   */
  async holds(
    database: Database,
    authorization: string | null,
    { token, permissions }: Pick<TokenHolder, "token" | "permissions">,
    now: number,
  ): Promise<boolean> {
    const secret = bearerSecret(authorization, "api", "session", "exchange");
    if (!secret.ok) return false;
    const holder = await findTokenHolder(database, await secretHash(secret.value));
    if (holder === null || holder.token.expiresAt <= now || isPaused(holder, now)) return false;
    const before = JSON.stringify([token.id, permissions]);
    return JSON.stringify([holder.token.id, holder.permissions]) === before;
  }

  /** Removes a token from the cache after it was revoked or rotated. */
  forgetToken(id: TokenId): void {
    this.#holders.forget(({ token }) => token.id === id);
  }

  /** Removes all tokens of a member from the cache, after the member was changed or removed. */
  forgetMember(id: MemberId): void {
    this.#holders.forget(({ member }) => member?.id === id);
  }

  /** The agent of a server, by the credential from its enrolment. One D1 read, or none. */
  async asAgent(
    database: Database,
    authorization: string | null,
    now: number,
  ): Promise<Result<AgentIdentity, AuthenticationRefusal>> {
    const secret = bearerSecret(authorization, "agent");
    if (!secret.ok) return secret;
    const hash = await secretHash(secret.value);
    const agent = await this.#agents.get(hash, now, () => findAgent(database, hash));
    return agent === null ? invalid : succeed(agent);
  }
}

function isPaused({ token: { pausesAt } }: TokenHolder, now: number): boolean {
  return pausesAt !== null && pausesAt <= now;
}

/** Source: RFC 6750 section 2.1. The scheme is case-insensitive: RFC 9110 section 11.1. */
function bearerSecret(
  authorization: string | null,
  ...kinds: readonly TokenKind[]
): Result<string, AuthenticationRefusal> {
  const secret = /^bearer +(\S.*)$/i.exec(authorization ?? "")?.[1];
  if (secret === undefined) return refuse("missing_token", "Send the header Authorization: Bearer <token>.");
  return kinds.some((kind) => isWellFormedToken(secret, kind)) ? succeed(secret) : invalid;
}
