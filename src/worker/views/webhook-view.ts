import type {
  Delivery,
  DeliveryAttempt,
  Webhook,
  WebhookDetails,
} from "#contract/endpoints/webhooks/schemas.ts";
import type { WebhookReading } from "#worker/db/webhooks/webhook-records.ts";
import type { StoredAttempt } from "#worker/objects/outlet/stored-delivery.ts";
import type { OutletDetails } from "#worker/objects/outlet/outlet.ts";
import type { ShownDelivery } from "#worker/objects/outlet/shown-delivery.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

export function webhookView(reading: WebhookReading): Webhook {
  return {
    id: reading.id,
    kind: reading.kind,
    name: reading.name,
    url: reading.shownUrl,
    events: reading.events,
    project_ids: reading.projectIds,
    state: reading.state,
    disabled_reason: reading.disabledReason,
    failing_since: timestampOrNull(reading.failingSince),
    created_at: timestamp(reading.createdAt),
  };
}

export function webhookDetailsView(reading: WebhookReading, details: OutletDetails): WebhookDetails {
  const { settings, previousSecretExpiresAt, pending, held, lastAttempt } = details;
  return {
    ...webhookView(reading),
    settings,
    previous_secret_expires_at: timestampOrNull(previousSecretExpiresAt),
    pending,
    held,
    last_attempt: lastAttempt === null ? null : attemptView(lastAttempt),
  };
}

export function attemptView({ at, status, durationMs, problem, answer }: StoredAttempt): DeliveryAttempt {
  return { at: timestamp(at), status, duration: durationMs / 1000, problem, answer };
}

export function deliveryView(delivery: ShownDelivery): Delivery {
  return {
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    state: delivery.state,
    created_at: timestamp(delivery.createdAt),
    next_attempt_at: timestampOrNull(delivery.dueAt),
    attempt_count: delivery.attemptCount,
    attempts: delivery.attempts.map((attempt) => attemptView(attempt)),
  };
}
