import { type SQL, sql } from "drizzle-orm";

import { ARTIFACTS } from "#contract/agent-protocol.ts";
import type { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import type { ServerId } from "#contract/ids.ts";
import type { AccountRows } from "#worker/db/account-rows.ts";
import { servers } from "#worker/db/schema.ts";
import { isOneOf } from "#worker/db/statements.ts";

/** A server that takes builds. `takesArtifacts`: whether its agent can, or was never connected and is new. */
type Taker = {
  readonly serverId: ServerId;
  readonly name: string;
  readonly sealKey: SealKey | null;
  readonly takesArtifacts: boolean;
};

/** The servers with these ids. One D1 round trip. */
export async function findTakers(rows: AccountRows, ids: readonly ServerId[]): Promise<Taker[]> {
  const fields = {
    serverId: servers.id,
    name: servers.name,
    sealKey: servers.sealKey,
    capabilities: servers.capabilities,
  };
  const found = await rows.select(fields, servers, { where: isOneOf(servers.id, ids) });
  return found.map(({ capabilities, ...server }) => ({
    ...server,
    takesArtifacts: capabilities?.includes(ARTIFACTS) ?? true,
  }));
}

/** Whether the agent of the server in `servers` cannot build for others. An agent that was never connected is new. */
export function cannotBuildForOthers(): SQL {
  const known = sql`coalesce(${servers.capabilities}, ${JSON.stringify([ARTIFACTS])})`;
  return sql`not exists (select 1 from json_each(${known}) where value = ${ARTIFACTS})`;
}
