import type { Identity } from "#contract/endpoints/profile/schemas.ts";
import type { IdentityReading } from "#worker/db/connections/identity-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** An identity in the API. */
export function identityView(reading: IdentityReading): Identity {
  return {
    id: reading.id,
    connection: { id: reading.connectionId, name: reading.connectionName ?? "" },
    subject: reading.subject,
    name: reading.name,
    created_at: timestamp(reading.createdAt),
    last_used_at: timestampOrNull(reading.lastUsedAt),
  };
}
