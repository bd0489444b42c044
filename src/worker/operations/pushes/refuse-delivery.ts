import type { PushReason } from "#contract/endpoints/hooks/push-decisions.ts";
import { MAX_DELIVERY_BYTES } from "#contract/endpoints/hooks/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { changeWrites, type NewEvent } from "#worker/db/changes/change-writes.ts";
import type { ReceivingHook } from "#worker/db/hooks/find-receiving-hook.ts";
import { countedWrites, refusedWrites } from "#worker/db/pushes/push-writes.ts";
import type { ForgedReason } from "#worker/deliveries/check-signature.ts";
import { namesOf } from "#worker/deliveries/delivery-headers.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { unpushedRow } from "#worker/operations/pushes/ledger-rows.ts";

const details: Readonly<Record<ForgedReason | "too_large", string>> = {
  bad_signature:
    "The signature does not match the secret of this hook. Copy the secret into the webhook's settings, or rotate it.",
  no_signature: "The delivery is not signed. Set the secret of this hook in the webhook's settings.",
  too_old: "The signature is more than five minutes old, or the clocks differ that much.",
  other_forge:
    "The delivery comes from another kind of git host than the one that this hook was created for.",
  too_large: `The body is larger than ${MAX_DELIVERY_BYTES} bytes. Smaller pushes are received.`,
};

/**
 * Refuses a delivery that is not authentic, or that cannot be checked. The ledger counts it after the response, with an
 * event once in an hour: anybody can send one, so it must not cost much.
 */
export async function refuseDelivery(
  context: OpenContext,
  hook: ReceivingHook,
  reason: Extract<PushReason, ForgedReason | "too_large">,
): Promise<Result<never, "invalid_signature" | "body_too_large" | "rate_limited">> {
  const limited = await context.limitFailures();
  if (limited !== null) return limited;
  context.defer(
    note(context, hook, reason).catch((error: unknown) =>
      logFailure("pushes", { what: "note refused delivery", hook_id: hook.id }, error),
    ),
  );
  return refuse(reason === "too_large" ? "body_too_large" : "invalid_signature", details[reason]);
}

async function note(
  { database, ids, clock, feeds, raw }: OpenContext,
  { id: hookId, accountId, forge, repository }: ReceivingHook,
  reason: ForgedReason | "too_large",
): Promise<void> {
  const rows = new AccountRows(database, accountId);
  const receivedAt = clock.now();
  const detail = details[reason];
  const names = namesOf(forge, raw.headers);
  const origin = { hookId, source: "hook", receivedAt, ...names, bodyHash: null } as const;
  const row = unpushedRow(ids, origin, { decision: "refused", reason }, detail);
  const event: NewEvent = {
    id: ids.event(),
    type: "hook.refused",
    data: { hook: { id: hookId, forge, repository: maskRepository(repository) }, reason: detail },
    actor: SYSTEM,
    createdAt: receivedAt,
  };
  const refused = { refusedAt: receivedAt, refusedReason: reason };
  const recorded = changeWrites(rows, { event, audit: null });
  const counted = countedWrites(rows, row);
  const counts = await rows.runTogether([...counted, ...refusedWrites(rows, hookId, refused, recorded)]);
  if (counts[counted.length] === 1) await announce(feeds, accountId);
}
