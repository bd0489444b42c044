import type { SignInOptions, SignInQuery } from "#contract/endpoints/connections/schemas.ts";
import { type Result, succeed } from "#contract/problems.ts";
import type { OpenContext } from "#worker/context.ts";
import { offeredConnections } from "#worker/db/connections/connection-records.ts";

/** Lists the connections that anybody may know of. */
export async function getSignInOptions(
  { database }: OpenContext,
  { domain }: SignInQuery,
): Promise<Result<SignInOptions, never>> {
  return succeed({ connections: await offeredConnections(database, domain ?? null) });
}
