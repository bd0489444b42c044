import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";

import type { ServerId, TokenId } from "#contract/ids.ts";
import type { Region } from "#contract/regions.ts";
import type { Scope } from "#contract/scopes.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { servers, tokens } from "#worker/db/schema.ts";
import { hasStillRights, type Sender } from "#worker/db/tokens/has-still-rights.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

/** The stored fields of an enrolment token. */
export type EnrollmentRecord = {
  readonly enrollmentHash: string;
  /** Unix milliseconds. */
  readonly enrollmentExpiresAt: number;
  /** The API token that created it. `spendEnrollment` checks that token again. */
  readonly enrollmentMadeBy: TokenId;
};

/**
 * Stores a server's enrolment token, replacing an unspent one. Returns false if the server does not exist, or the sender has lost rights.
 * @param recorded the writes that record it
 */
export async function setEnrollment(
  rows: AccountRows,
  id: ServerId,
  enrollment: EnrollmentRecord,
  sender: Sender,
  recorded: readonly Write[],
): Promise<boolean> {
  const update = rows.update(servers, enrollment, and(eq(servers.id, id), hasStillRights(rows, sender)));
  const [updated] = await rows.runTogether([update, ...recorded]);
  return updated === 1;
}

// These statements name no account: the enrolment token's hash finds out which account the server belongs to.

/** The scope that creates an enrolment. The token that created it must still have it when it is spent. */
const ENROLLMENT_SCOPE: Scope = "servers:write";

/**
 * The enrolment token has not expired, and the API token that created it could still create one. An API token may be
 * revoked because it leaked, so its enrolment tokens must end with it.
 */
function isSpendable(enrollmentHash: string, now: number): SQL | undefined {
  const creator = and(
    eq(tokens.id, servers.enrollmentMadeBy),
    eq(tokens.accountId, servers.accountId),
    isNull(tokens.revokedAt),
    gt(tokens.expiresAt, now),
    isNull(tokens.projectIds),
    sql`exists (select 1 from json_each(${tokens.scopes}) where value = ${ENROLLMENT_SCOPE})`,
  );
  return and(
    eq(servers.enrollmentHash, enrollmentHash),
    gt(servers.enrollmentExpiresAt, now),
    sql`exists (select 1 from ${tokens} where ${creator})`,
  );
}

/** Whether an enrolment token can be spent at this time (Unix milliseconds). Only reads: a wrong token causes no write. */
export async function hasEnrollment(
  database: D1Database,
  enrollmentHash: string,
  now: number,
): Promise<boolean> {
  const [found] = await drizzle(database)
    .select({ id: servers.id })
    .from(servers)
    .where(isSpendable(enrollmentHash, now));
  return found !== undefined;
}

type Enrollment = {
  readonly enrollmentHash: string;
  readonly credentialHash: string;
  readonly agentVersion: string;
  /** Where the request came from; null: unknown. */
  readonly detectedRegion: Region | null;
  /** Unix milliseconds. */
  readonly now: number;
};

/**
 * Spends an enrolment token and stores the agent's credential, which replaces the server's earlier one.
 * @returns the server; null if `hasEnrollment` is false. Of two requests at the same time, one gets null.
 */
export async function spendEnrollment(
  database: D1Database,
  { enrollmentHash, credentialHash, agentVersion, detectedRegion, now }: Enrollment,
): Promise<{ readonly id: ServerId; readonly location: ServerLocation } | null> {
  const changes = {
    credentialHash,
    agentVersion,
    detectedRegion: sql`coalesce(${detectedRegion}, ${servers.detectedRegion})`,
    enrolledAt: sql`coalesce(${servers.enrolledAt}, ${now})`,
    enrollmentHash: null,
    enrollmentExpiresAt: null,
    enrollmentMadeBy: null,
  } satisfies SQLiteUpdateSetSource<typeof servers>;
  const location = sql<Region | null>`coalesce(${servers.region}, ${servers.detectedRegion})`;
  const [spent] = await drizzle(database)
    .update(servers)
    .set(changes)
    .where(isSpendable(enrollmentHash, now))
    .returning({ id: servers.id, location });
  return spent ?? null;
}
