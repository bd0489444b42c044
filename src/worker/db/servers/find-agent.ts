import { eq } from "drizzle-orm";

import type { AccountId, ServerId } from "#contract/ids.ts";
import { placeOfServer } from "#worker/db/projects/server-place.ts";
import { servers } from "#worker/db/schema.ts";
import { read, select } from "#worker/db/reads.ts";
import { from } from "#worker/db/statements.ts";
import type { ServerPlace } from "#worker/objects/placement.ts";

export type AgentIdentity = {
  readonly serverId: ServerId;
  readonly accountId: AccountId;
  readonly credentialHash: string;
  readonly place: ServerPlace;
};

/**
 * Finds the server whose agent has the credential with this hash; null if there is none.
 * The statement names no account, because it finds out which account the agent belongs to.
 */
export async function findAgent(database: D1Database, hash: string): Promise<AgentIdentity | null> {
  const fields = { serverId: servers.id, accountId: servers.accountId, place: placeOfServer };
  const [found] = await read(database, select(fields, from(servers, eq(servers.credentialHash, hash))));
  return found === undefined ? null : { ...found, credentialHash: hash };
}
