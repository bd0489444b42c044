import { and, desc, eq, gt, isNull, lt, ne, or, sql, type SQL } from "drizzle-orm";

import type { MemberId, ProjectId, TokenId } from "#contract/ids.ts";
import type { Scope } from "#contract/scopes.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { auditWrites, computedEventWrites, HAS_CHANGED } from "#worker/db/changes/change-writes.ts";
import type { SettingsOrigin } from "#worker/db/changes/setting-writes.ts";
import { auditEntries } from "#worker/db/event-tables.ts";
import { members } from "#worker/db/identity-tables.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/owned-tables.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/list-projects.ts";
import { tokens } from "#worker/db/schema.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import { afterOf, newestPage, type Position } from "#worker/db/reads.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";

/** The fields of a TokenReading. */
export function tokenFields(rows: AccountRows) {
  const { memberId } = tokens;
  return {
    ...ownFields,
    memberName: rows.firstNamed<string>(members.name, members, eq(members.id, memberId), sql`1`),
  };
}

const ownFields = {
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
  memberId: tokens.memberId,
  createdBy: tokens.createdBy,
};

/** A token without the hashes of its secrets. `memberName`: null: it is nobody's. Times are Unix milliseconds. */
export type TokenReading = Pick<typeof tokens.$inferSelect, keyof typeof ownFields> & {
  readonly memberName: string | null;
};

/** The account's token with this id; null if there is none or it is revoked. */
export async function findToken(rows: AccountRows, id: TokenId): Promise<TokenReading | null> {
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  const [token] = await rows.select(tokenFields, tokens, { where, limit: 1 });
  return token ?? null;
}

/** The account's tokens that are not revoked, newest first, without the tokens that jobs have got by a trust rule. */
export async function listTokens(rows: AccountRows, position: Position<TokenId>): Promise<TokenReading[]> {
  return await rows.selectPrepared(validTokens, { after: afterOf(position) }, position.limit);
}

function validTokens() {
  const isListed = and(isNull(tokens.revokedAt), ne(tokens.kind, "exchange"));
  return [tokenFields, tokens, newestPage(tokens.id, isListed)] as const;
}

type TokenInsertion =
  | { readonly outcome: "inserted"; readonly token: TokenReading }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] }
  | { readonly outcome: "too_many" };

/**
 * Adds a token if the account has all projects that the token is limited to (each listed once), and the sender still has the rights
 * that they had. If an earlier try of the same request has added it, returns that token.
 * @param recorded the writes that record it
 */
export async function insertToken(
  rows: AccountRows,
  token: TokenReading,
  hash: string,
  sender: Sender,
  recorded: readonly Write[],
): Promise<TokenInsertion> {
  const wanted = token.projectIds ?? [];
  // All tokens of the account, also tokens that the token of the request cannot see.
  const counted = and(isNull(tokens.revokedAt), eq(tokens.kind, "token"));
  const hasRoom = sql`${rows.countAll(tokens, counted)} < ${MAX_PER_ACCOUNT}`;
  try {
    const { memberName: _, ...row } = token;
    const isPossible = sql`${hasProjects(rows, wanted)} and ${hasRoom} and ${hasStillRights(rows, sender)}`;
    const write = rows.insert(tokens, { ...row, hash }, isPossible);
    const [inserted] = await rows.runTogether([write, ...recorded]);
    if (inserted === 1) return { outcome: "inserted", token };
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
  }
  const added = await findToken(rows, token.id);
  if (added !== null) return { outcome: "inserted", token: added };
  const unknown = await unknownProjects(rows, wanted);
  return unknown.length > 0 ? { outcome: "no_such_projects", projectIds: unknown } : { outcome: "too_many" };
}

/**
 * Records when a token was used. Writes nothing if a use in this hour or a later one is recorded.
 * @param use Unix milliseconds: the use, and the beginning of its hour
 */
export async function noteTokenUse(
  rows: AccountRows,
  id: TokenId,
  { usedAt, hour }: { readonly usedAt: number; readonly hour: number },
): Promise<void> {
  const isLater = or(isNull(tokens.lastUsedAt), lt(tokens.lastUsedAt, hour));
  await rows.run(rows.update(tokens, { lastUsedAt: usedAt }, and(eq(tokens.id, id), isLater)));
}

/** Times are Unix milliseconds. */
type SecretReplacement = {
  readonly hash: string;
  readonly rotatedAt: number;
  readonly expiresAt: number;
  /** When the replaced secret stops working, unless it expires earlier. */
  readonly previousExpiresAt: number;
  /** The member who gets the secret of a service token; null: nobody is known. */
  readonly createdBy: MemberId | null;
};

/** `replaced_before`: an earlier try of the same request has made this secret. The token is as that try left it. */
type TokenRotation =
  | { readonly outcome: "replaced" }
  | { readonly outcome: "replaced_before"; readonly token: TokenReading }
  | { readonly outcome: "not_found" };

/**
 * Gives a token a new secret, if the sender still has the rights that they had. Its current secret becomes the previous one,
 * replacing an older previous one.
 * @param recorded the writes that record it
 */
export async function replaceTokenSecret(
  rows: AccountRows,
  id: TokenId,
  { previousExpiresAt, ...replacement }: SecretReplacement,
  sender: Sender,
  recorded: readonly Write[],
): Promise<TokenRotation> {
  const { hash } = replacement;
  const changes = {
    ...replacement,
    previousHash: sql`${tokens.hash}`,
    previousCreatedBy: sql`${tokens.createdBy}`,
    previousExpiresAt: sql`min(${tokens.expiresAt}, ${previousExpiresAt})`,
  };
  const isToken = and(eq(tokens.id, id), isNull(tokens.revokedAt));
  const update = rows.update(
    tokens,
    changes,
    and(isToken, ne(tokens.hash, hash), hasStillRights(rows, sender)),
  );
  const [replaced] = await rows.runTogether([update, ...recorded]);
  if (replaced === 1) return { outcome: "replaced" };
  const where = and(isToken, eq(tokens.hash, hash));
  const [token] = await rows.select(tokenFields, tokens, { where, limit: 1 });
  return token === undefined ? { outcome: "not_found" } : { outcome: "replaced_before", token };
}

const NEEDED: Scope = "tokens:write";

type TokenRevocation = "revoked" | "not_found" | "last_token";

/**
 * Revokes a token with both of its secrets, unless it is the last token that can create tokens and the account has no owner, who can
 * create some too. One statement checks for another token and revokes, so if the last two are revoked at the same time, one stays.
 * @param now Unix milliseconds
 * @param origin the request
 */
export async function markTokenRevoked(
  rows: AccountRows,
  id: TokenId,
  now: number,
  origin: SettingsOrigin,
): Promise<TokenRevocation> {
  // Expired tokens and tokens that are limited to projects cannot replace this one, nor can a session, which expires soon.
  const canCreateAny = and(
    isNull(tokens.revokedAt),
    eq(tokens.kind, "token"),
    isNull(tokens.memberId),
    gt(tokens.expiresAt, now),
    isNull(tokens.projectIds),
    sql`exists (select 1 from json_each(${tokens.scopes}) where value = ${NEEDED})`,
  );
  const others = rows.countAll(tokens, and(ne(tokens.id, id), canCreateAny));
  const owners = rows.countAll(members, eq(members.isOwner, true));
  const isNotLast = or(sql`not (${canCreateAny})`, sql`${others} > 0`, sql`${owners} > 0`);
  const where = and(eq(tokens.id, id), isNull(tokens.revokedAt), isNotLast);
  const revocation = rows.update(tokens, { revokedAt: now }, where);
  const [revoked] = await rows.runTogether([revocation, ...revocationWrites(rows, id, origin)]);
  if (revoked === 1) return "revoked";
  return (await findToken(rows, id)) === null ? "not_found" : "last_token";
}

/** The event and the entry, with the token's name, which the request does not have. */
function revocationWrites(rows: AccountRows, id: TokenId, { audit, eventId }: SettingsOrigin): Write[] {
  const of = (value: SQL) => rows.first(value, tokens, eq(tokens.id, id), sql`1`);
  const shown = sql`json_object('id', ${tokens.id}, 'name', ${tokens.name}, 'scopes', json(${tokens.scopes}))`;
  const { actor, createdAt } = audit;
  const event = { id: eventId, projectId: null, type: "token.revoked" as const, actor, createdAt };
  const target = sql`json_object('type', 'token', 'id', ${tokens.id}, 'name', ${tokens.name})`;
  return [
    ...computedEventWrites(rows, event, of(sql`json_object('token', ${shown})`)),
    ...auditWrites(rows, [audit], HAS_CHANGED, new Map([[auditEntries.target, of(target)]])),
  ];
}

/** The most sessions and personal tokens of a member that are listed. */
const MOST_OWN = 200;

const isOwn = (memberId: MemberId) => and(eq(tokens.memberId, memberId), isNull(tokens.revokedAt));

/** The sessions and personal tokens of a member that have not expired, newest first. @param now Unix milliseconds */
export async function listOwnTokens(
  rows: AccountRows,
  memberId: MemberId,
  now: number,
): Promise<TokenReading[]> {
  const where = and(isOwn(memberId), gt(tokens.expiresAt, now));
  const newest = { where, isNamed: true, orderBy: [desc(tokens.id)], limit: MOST_OWN };
  return await rows.select(tokenFields, tokens, newest);
}

/** A member's session or personal token; null: there is none, or it is revoked. */
export async function findOwnToken(
  rows: AccountRows,
  memberId: MemberId,
  id: TokenId,
): Promise<TokenReading | null> {
  const where = and(eq(tokens.id, id), isOwn(memberId));
  const [token] = await rows.select(tokenFields, tokens, { where, isNamed: true, limit: 1 });
  return token ?? null;
}

/** Revokes a session or a personal token of a member. @param now Unix milliseconds @returns false if there is none */
export async function revokeOwnToken(
  rows: AccountRows,
  memberId: MemberId,
  id: TokenId,
  now: number,
  recorded: readonly Write[],
): Promise<boolean> {
  const revocation = rows.update(tokens, { revokedAt: now }, and(eq(tokens.id, id), isOwn(memberId)));
  const [revoked] = await rows.runTogether([revocation, ...recorded]);
  return revoked === 1;
}
