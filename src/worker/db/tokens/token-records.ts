import { and, eq, isNull, sql, gt, ne, or, lt } from "drizzle-orm";

import { tokens, projects } from "#worker/db/schema.ts";
import type { TokenId, ProjectId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { newestFirst, type Position } from "#worker/db/newest-first.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import type { Scope } from "#contract/scopes.ts";
import { isOneOf } from "#worker/db/json-lists.ts";

/** The fields of a TokenReading. */
const tokenFields = {
  id: tokens.id,
  kind: tokens.kind,
  name: tokens.name,
  scopes: tokens.scopes,
  projectIds: tokens.projectIds,
  createdAt: tokens.createdAt,
  rotatedAt: tokens.rotatedAt,
  expiresAt: tokens.expiresAt,
  previousExpiresAt: tokens.previousExpiresAt,
  lastUsedAt: tokens.lastUsedAt,
};

/** A token without the hashes of its secrets. Times are Unix milliseconds. */
export type TokenReading = Pick<typeof tokens.$inferSelect, keyof typeof tokenFields>;

/** The account's token with this id; null if there is none or it is revoked. */
export async function findToken(rows: AccountRows, id: TokenId): Promise<TokenReading | null> {
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  const [token] = await rows.select(tokenFields, tokens, { where, limit: 1 });
  return token ?? null;
}

/** The account's tokens that are not revoked, newest first. */
export async function listTokens(rows: AccountRows, position: Position<TokenId>): Promise<TokenReading[]> {
  return rows.select(tokenFields, tokens, newestFirst(tokens.id, position, isNull(tokens.revokedAt)));
}

type TokenInsertion =
  | { readonly outcome: "inserted"; readonly token: TokenReading }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] }
  | { readonly outcome: "too_many" };

/**
 * Adds a token if the account has all projects that the token is limited to (each listed once). If an earlier try of the
 * same request has added it, returns that token.
 */
export async function insertToken(
  rows: AccountRows,
  token: TokenReading,
  hash: string,
): Promise<TokenInsertion> {
  const wanted = token.projectIds ?? [];
  const hasProjects = sql`${rows.count(projects, isOneOf(projects.id, wanted))} = ${wanted.length}`;
  // All tokens of the account, also those that the token of the request cannot see.
  const counted = and(isNull(tokens.revokedAt), eq(tokens.kind, "token"));
  const hasRoom = sql`${rows.countAll(tokens, counted)} < ${MAX_PER_ACCOUNT}`;
  try {
    const write = rows.insert(tokens, { ...token, hash }, sql`${hasProjects} and ${hasRoom}`);
    if ((await rows.run(write)) === 1) return { outcome: "inserted", token };
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
  const added = await findToken(rows, token.id);
  if (added !== null) return { outcome: "inserted", token: added };
  const known = await rows.select({ id: projects.id }, projects, { where: isOneOf(projects.id, wanted) });
  const knownIds = new Set(known.map(({ id }) => id));
  const unknown = wanted.filter((id) => !knownIds.has(id));
  return unknown.length > 0 ? { outcome: "no_such_projects", projectIds: unknown } : { outcome: "too_many" };
}

/** Times are Unix milliseconds. */
type SecretReplacement = {
  readonly hash: string;
  readonly rotatedAt: number;
  readonly expiresAt: number;
  /** When the replaced secret stops working, unless it expires earlier. */
  readonly previousExpiresAt: number;
};

/**
 * Gives a token a new secret. Its current secret becomes the previous one, replacing an older previous one. Returns
 * false and changes nothing if the token does not exist or is revoked.
 */
export async function replaceTokenSecret(
  rows: AccountRows,
  id: TokenId,
  { previousExpiresAt, ...replacement }: SecretReplacement,
): Promise<boolean> {
  const changes = {
    ...replacement,
    previousHash: sql`${tokens.hash}`,
    previousExpiresAt: sql`min(${tokens.expiresAt}, ${previousExpiresAt})`,
  };
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  return (await rows.run(rows.update(tokens, changes, where))) === 1;
}

const NEEDED: Scope = "tokens:write";

type TokenRevocation = "revoked" | "not_found" | "last_token";

/**
 * Revokes a token with both of its secrets, unless it is the last one that can create tokens. One statement checks for
 * another token and revokes, so if the last two are revoked at the same time, one stays.
 * @param now Unix milliseconds
 */
export async function markTokenRevoked(
  rows: AccountRows,
  id: TokenId,
  now: number,
): Promise<TokenRevocation> {
  // Expired tokens and tokens that are limited to projects cannot replace this one, nor can a session, which expires soon.
  const canCreateAny = and(
    isNull(tokens.revokedAt),
    eq(tokens.kind, "token"),
    gt(tokens.expiresAt, now),
    isNull(tokens.projectIds),
    sql`exists (select 1 from json_each(${tokens.scopes}) where value = ${NEEDED})`,
  );
  const others = rows.countAll(tokens, and(ne(tokens.id, id), canCreateAny));
  const isNotLast = or(sql`not (${canCreateAny})`, sql`${others} > 0`);
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt), isNotLast);
  if ((await rows.run(rows.update(tokens, { revokedAt: now }, where))) === 1) return "revoked";
  return (await findToken(rows, id)) === null ? "not_found" : "last_token";
}

/** Ends a session. Returns false if the token is not a session. Safe to repeat. @param now Unix milliseconds */
export async function markSessionEnded(rows: AccountRows, id: TokenId, now: number): Promise<boolean> {
  const where = and(eq(tokens.id, id), eq(tokens.kind, "session"));
  const revokedAt = sql`coalesce(${tokens.revokedAt}, ${now})`;
  return (await rows.run(rows.update(tokens, { revokedAt }, where))) === 1;
}

/** Records when a token was used (Unix milliseconds). Writes nothing if this time or a later one is recorded. */
export async function noteTokenUse(rows: AccountRows, id: TokenId, usedAt: number): Promise<void> {
  const isLater = or(isNull(tokens.lastUsedAt), lt(tokens.lastUsedAt, usedAt));
  await rows.run(rows.update(tokens, { lastUsedAt: usedAt }, and(eq(tokens.id, id), isLater)));
}
