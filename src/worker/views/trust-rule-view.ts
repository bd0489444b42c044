import { specOf } from "#contract/endpoints/trust-rules/providers.ts";
import type { TrustRule } from "#contract/endpoints/trust-rules/schemas.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import type { TrustRuleReading } from "#worker/db/trust-rules/trust-rule-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** A trust rule in the API. */
export function trustRuleView(reading: TrustRuleReading): TrustRule {
  return {
    id: reading.id,
    name: reading.name,
    provider: reading.provider,
    issuer: reading.issuer,
    subject_claim: specOf(reading.provider)?.subjectClaim ?? "",
    subject: reading.subject,
    audience: reading.audience,
    claims: mapValues(reading.claims, (values) => [...values]),
    scopes: reading.scopes,
    project_ids: reading.projectIds,
    lifetime_minutes: reading.lifetimeMinutes,
    created_at: timestamp(reading.createdAt),
    last_used_at: timestampOrNull(reading.lastUsedAt),
  };
}
