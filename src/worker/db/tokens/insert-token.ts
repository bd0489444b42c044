import { and, eq, isNull, sql } from "drizzle-orm";

import { tokens } from "#worker/db/schema.ts";
import type { ProjectId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { MAX_PER_ACCOUNT } from "#worker/db/limits.ts";
import { uniqueViolation } from "#worker/db/unique-violation.ts";
import { hasProjects, unknownProjects } from "#worker/db/projects/unknown-projects.ts";
import type { TokenReading } from "#worker/db/tokens/token-reading.ts";
import { findToken } from "#worker/db/tokens/find-token.ts";

type TokenInsertion =
  | { readonly outcome: "inserted"; readonly token: TokenReading }
  | { readonly outcome: "no_such_projects"; readonly projectIds: readonly ProjectId[] }
  | { readonly outcome: "too_many" };

/**
 * Adds a token if the account has all projects that the token is limited to (each listed once). If an earlier try of the
 * same request has added it, returns that token.
 * @param recorded the writes that record it
 */
export async function insertToken(
  rows: AccountRows,
  token: TokenReading,
  hash: string,
  recorded: readonly Write[],
): Promise<TokenInsertion> {
  const wanted = token.projectIds ?? [];
  // All tokens of the account, also those that the token of the request cannot see.
  const counted = and(isNull(tokens.revokedAt), eq(tokens.kind, "token"));
  const hasRoom = sql`${rows.countAll(tokens, counted)} < ${MAX_PER_ACCOUNT}`;
  try {
    const write = rows.insert(tokens, { ...token, hash }, sql`${hasProjects(rows, wanted)} and ${hasRoom}`);
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
