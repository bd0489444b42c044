import type { Token } from "#contract/endpoints/tokens/schemas.ts";
import type { TokenReading } from "#worker/db/tokens/token-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** A token in the API. @param now Unix milliseconds; an expired previous secret is not shown */
export function tokenView(reading: TokenReading, now: number): Token {
  const { previousExpiresAt } = reading;
  const hasPrevious = previousExpiresAt !== null && previousExpiresAt > now;
  return {
    id: reading.id,
    kind: reading.kind,
    name: reading.name,
    scopes: reading.scopes,
    project_ids: reading.projectIds,
    member:
      reading.memberId === null || reading.memberName === null
        ? null
        : { id: reading.memberId, name: reading.memberName },
    created_at: timestamp(reading.createdAt),
    rotated_at: timestampOrNull(reading.rotatedAt),
    expires_at: timestamp(reading.expiresAt),
    previous_expires_at: hasPrevious ? timestamp(previousExpiresAt) : null,
    last_used_at: timestampOrNull(reading.lastUsedAt),
  };
}
