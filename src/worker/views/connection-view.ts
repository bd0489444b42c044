import type { Connection } from "#contract/endpoints/connections/schemas.ts";
import type { ConnectionReading } from "#worker/db/connections/connection-records.ts";
import { grantView } from "#worker/views/member-view.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** A connection in the API, without its secret. @param redirectUri of the installation */
export function connectionView(reading: ConnectionReading, redirectUri: string): Connection {
  return {
    id: reading.id,
    kind: reading.kind,
    name: reading.name,
    issuer: reading.issuer,
    client_id: reading.clientId,
    has_client_secret: reading.clientSecret !== null,
    scopes: [...reading.scopes],
    groups_claim: reading.groupsClaim,
    group_grants: reading.groupGrants.map(({ group, grants }) => ({ group, grants: grants.map(grantView) })),
    sync_grants: reading.syncGrants,
    join: reading.joinPolicy,
    domains: [...reading.domains],
    join_grants: reading.joinGrants.map(grantView),
    is_forced: reading.isForced,
    session_hours: reading.sessionHours,
    token_days: reading.tokenDays,
    redirect_uri: redirectUri,
    created_at: timestamp(reading.createdAt),
    last_used_at: timestampOrNull(reading.lastUsedAt),
  };
}
