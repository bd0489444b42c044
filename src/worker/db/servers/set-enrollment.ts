import { eq } from "drizzle-orm";

import type { ServerId, TokenId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";

/** What is kept of an enrolment token. */
export type EnrollmentRecord = {
  readonly enrollmentHash: string;
  /** Unix milliseconds. */
  readonly enrollmentExpiresAt: number;
  /** The token that made it: `spendEnrollment` checks again that it may. */
  readonly enrollmentMadeBy: TokenId;
};

export type EnrollmentSetting = "set" | "no_such_server";

/** Gives a server an enrolment token in place of any that is still unspent. */
export async function setEnrollment(
  rows: AccountRows,
  id: ServerId,
  enrollment: EnrollmentRecord,
): Promise<EnrollmentSetting> {
  const count = await rows.run(rows.update(servers, enrollment, eq(servers.id, id)));
  return count === 1 ? "set" : "no_such_server";
}
