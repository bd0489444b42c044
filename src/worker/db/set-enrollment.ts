import { eq } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";

/** What is kept of an enrolment token. `enrollmentExpiresAt` is in Unix milliseconds. */
export type EnrollmentRecord = { readonly enrollmentHash: string; readonly enrollmentExpiresAt: number };

/** Gives a server an enrolment token in place of any that is still unspent. Returns false where there is no such server. */
export async function setEnrollment(
  rows: AccountRows,
  serverId: ServerId,
  enrollment: EnrollmentRecord,
): Promise<boolean> {
  return (await rows.run(rows.update(servers, enrollment, eq(servers.id, serverId)))) === 1;
}
