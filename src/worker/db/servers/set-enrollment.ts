import { eq } from "drizzle-orm";

import type { ServerId, TokenId } from "#contract/ids.ts";
import type { AccountRows, Write } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";

/** The stored fields of an enrolment token. */
export type EnrollmentRecord = {
  readonly enrollmentHash: string;
  /** Unix milliseconds. */
  readonly enrollmentExpiresAt: number;
  /** The API token that created it. `spendEnrollment` checks that token again. */
  readonly enrollmentMadeBy: TokenId;
};

/**
 * Stores a server's enrolment token, replacing an unspent one. Returns false if the server does not exist.
 * @param recorded the writes that record it
 */
export async function setEnrollment(
  rows: AccountRows,
  id: ServerId,
  enrollment: EnrollmentRecord,
  recorded: readonly Write[],
): Promise<boolean> {
  const update = rows.update(servers, enrollment, eq(servers.id, id));
  const [updated] = await rows.runTogether([update, ...recorded]);
  return updated === 1;
}
