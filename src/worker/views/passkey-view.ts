import type { Passkey } from "#contract/endpoints/profile/schemas.ts";
import type { PasskeyReading } from "#worker/db/members/passkey-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** A passkey in the API. */
export function passkeyView({ id, name, rpId, isBackedUp, createdAt, lastUsedAt }: PasskeyReading): Passkey {
  return {
    id,
    name,
    rp_id: rpId,
    is_synced: isBackedUp,
    created_at: timestamp(createdAt),
    last_used_at: timestampOrNull(lastUsedAt),
  };
}
