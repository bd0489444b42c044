import { eq } from "drizzle-orm";

import type { AccountId, ServerId } from "#contract/ids.ts";
import { locationOfServer } from "#worker/db/projects/server-location.ts";
import { servers } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/reads.ts";
import { from } from "#worker/db/statements.ts";
import type { ServerLocation } from "#worker/objects/location.ts";

export type AgentIdentity = {
  readonly serverId: ServerId;
  readonly accountId: AccountId;
  readonly credentialHash: string;
  readonly location: ServerLocation;
};

/**
 * Finds the server whose agent has the credential with this hash; null if there is none.
 * The statement names no account, because it finds out which account the agent belongs to.
 */
export async function findAgent(database: D1Database, hash: string): Promise<AgentIdentity | null> {
  const fields = { serverId: servers.id, accountId: servers.accountId, location: locationOfServer };
  const [found] = await read(database, select(fields, from(servers, eq(servers.credentialHash, hash))));
  return found === undefined ? null : { ...found, credentialHash: hash };
}
