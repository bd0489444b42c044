import { eq } from "drizzle-orm";

import type { ServerId } from "#contract/ids.ts";
import { servers } from "#worker/db/schema.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";

/** The hash of a server's credential, null before the first enrolment. @returns null if the server does not exist */
export async function findCredential(
  rows: AccountRows,
  id: ServerId,
): Promise<{ readonly credentialHash: string | null } | null> {
  const fields = { credentialHash: servers.credentialHash };
  const [found] = await rows.select(fields, servers, { where: eq(servers.id, id) });
  return found ?? null;
}
