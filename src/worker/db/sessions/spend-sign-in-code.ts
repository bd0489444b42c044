import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

import type { TokenId } from "#contract/ids.ts";
import { allScopes } from "#contract/scopes.ts";
import { signInCodes, tokens } from "#worker/db/schema.ts";

// These statements name no account: the code's hash finds out which account signs in.

const dialect = new SQLiteAsyncDialect();

/** The name of sessions, which deployments show as their actor. */
const NAME = "dashboard";

/** Times are Unix milliseconds. */
export type NewSession = {
  readonly id: TokenId;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
};

/** Whether a sign-in code can be spent at this time (Unix milliseconds). Only reads: a wrong code causes no write. */
export async function hasSignInCode(database: D1Database, codeHash: string, now: number): Promise<boolean> {
  const [found] = await drizzle(database)
    .select({ hash: signInCodes.hash })
    .from(signInCodes)
    .where(and(eq(signInCodes.hash, codeHash), gt(signInCodes.expiresAt, now)));
  return found !== undefined;
}

/**
 * Spends a sign-in code and creates a session with all scopes, in one transaction. Returns false if the code is unknown,
 * expired or spent. Of two requests at the same time, one gets false.
 */
export async function spendSignInCode(
  database: D1Database,
  codeHash: string,
  { id, hash, createdAt, expiresAt }: NewSession,
): Promise<boolean> {
  const columns = [
    tokens.id,
    tokens.accountId,
    tokens.kind,
    tokens.name,
    tokens.hash,
    tokens.scopes,
    tokens.createdAt,
    tokens.expiresAt,
  ].map(({ name }) => sql.identifier(name));
  const values = sql`${id}, ${signInCodes.accountId}, 'session', ${NAME}, ${hash}, ${JSON.stringify(allScopes)}, ${createdAt}, ${expiresAt}`;
  const isThisCode = eq(signInCodes.hash, codeHash);
  const [inserted] = await database.batch(
    [
      sql`insert into ${tokens} (${sql.join(columns, sql`, `)}) select ${values} from ${signInCodes} where ${isThisCode} and ${signInCodes.expiresAt} > ${createdAt}`,
      sql`delete from ${signInCodes} where ${isThisCode}`,
    ].map((statement) => {
      // Drizzle's batch does not support an insert of some columns from a select.
      const query = dialect.sqlToQuery(statement);
      return database.prepare(query.sql).bind(...query.params);
    }),
  );
  return inserted?.meta.changes === 1;
}
