import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

import type { TokenId } from "#contract/ids.ts";
import { allScopes } from "#contract/scopes.ts";
import type { Database } from "#worker/db/database.ts";
import { signInCodes, tokens } from "#worker/db/schema.ts";

// Like those of credentials.ts, these statements find whose a request is by the hash of a secret.

const dialect = new SQLiteAsyncDialect();

/** What a session is called, where deployments tell who asked for them. */
const NAME = "dashboard";

/** Times are Unix milliseconds. */
export type NewSession = {
  readonly id: TokenId;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
};

/** Whether a sign-in code can be spent at that time (Unix milliseconds). A read: a wrong one causes no write. */
export async function hasSignInCode(database: Database, codeHash: string, now: number): Promise<boolean> {
  const [found] = await drizzle(database)
    .select({ hash: signInCodes.hash })
    .from(signInCodes)
    .where(and(eq(signInCodes.hash, codeHash), gt(signInCodes.expiresAt, now)));
  return found !== undefined;
}

/**
 * Spends a sign-in code for a session with every scope. Returns false where the code is unknown, expired or spent: of
 * two at the same instant one finds it spent, because both statements are one transaction.
 */
export async function spendSignInCode(
  database: Database,
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
      // Drizzle's own batch takes no insert of some columns out of a select.
      const query = dialect.sqlToQuery(statement);
      return database.prepare(query.sql).bind(...query.params);
    }),
  );
  return inserted?.meta.changes === 1;
}
