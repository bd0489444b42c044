import { forgeNames } from "#contract/endpoints/hooks/forge-names.ts";
import type { HookForge, PushReason } from "#contract/endpoints/hooks/push-decisions.ts";
import { MAX_DELIVERY_BYTES } from "#contract/endpoints/hooks/schemas.ts";
import { maskRepository } from "#contract/git-names.ts";
import { refuse, type Result } from "#contract/problems.ts";
import { SYSTEM } from "#domain/events/system-actor.ts";
import type { OpenContext } from "#worker/context.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import { changeWrites, type NewEvent } from "#worker/db/changes/change-writes.ts";
import type { ReceivingHook } from "#worker/db/hooks/hook-changes.ts";
import { countedWrites, refusedWrites } from "#worker/db/pushes/push-records.ts";
import type { ForgedReason } from "#worker/deliveries/check-signature.ts";
import { forgeOf, namesOf } from "#worker/deliveries/delivery-headers.ts";
import { logFailure } from "#worker/log-failure.ts";
import { announce } from "#worker/objects/event-feed/announce.ts";
import { type LedgerOrigin, unpushedRow } from "#worker/operations/pushes/ledger-rows.ts";

const details: Readonly<Record<Exclude<ForgedReason, "other_forge"> | "too_large", string>> = {
  bad_signature:
    "The signature does not match the secret of this hook. Copy the secret into the webhook's settings, or rotate it.",
  no_signature: "The delivery is not signed. Set the secret of this hook in the webhook's settings.",
  too_old: "The signature is more than five minutes old, or the clocks differ that much.",
  too_large: `The body is larger than ${MAX_DELIVERY_BYTES} bytes. Smaller pushes are received.`,
};

/** A git server has no webhook with settings: a script signs with a secret from a file. */
const detailsForScripts: Partial<typeof details> = {
  bad_signature:
    "The signature does not match the secret of this hook. Write the secret into the file gantry-secret of the repository's folder, or rotate it.",
  no_signature:
    "The delivery is not signed. Write the secret of this hook into the file gantry-secret of the repository's folder.",
};

/** A registry sends the secret in a header that is written by hand. */
const detailsForRegistries: Partial<typeof details> = {
  bad_signature:
    "The header Authorization does not have the secret of this hook. Its value must be Bearer, a space and the secret: correct it in the registry's settings, or rotate the secret.",
  no_signature:
    "The delivery has no header Authorization. Set it in the registry's settings: Bearer, a space and the secret of this hook.",
};

const detailsFor: Partial<Record<HookForge, Partial<typeof details>>> = {
  git: detailsForScripts,
  registry: detailsForRegistries,
};

function detailOf(reason: ForgedReason | "too_large", { forge }: ReceivingHook, headers: Headers): string {
  if (reason !== "other_forge") return detailsFor[forge]?.[reason] ?? details[reason];
  const sender = forgeOf(headers);
  return `The delivery has the headers of ${sender === null ? "another kind of git host" : forgeNames[sender]}. This hook was created for ${forgeNames[forge]}.`;
}

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
  const detail = detailOf(reason, hook, context.raw.headers);
  return refuse(reason === "too_large" ? "body_too_large" : "invalid_signature", detail);
}

async function note(
  context: OpenContext,
  hook: ReceivingHook,
  reason: ForgedReason | "too_large",
): Promise<void> {
  const { database, clock, raw } = context;
  const rows = new AccountRows(database, hook.accountId);
  const names = namesOf(hook.forge, raw.headers);
  const origin = {
    hookId: hook.id,
    source: "hook",
    receivedAt: clock.now(),
    ...names,
    bodyHash: null,
  } as const;
  await noteRefusal({ ...context, rows }, hook, origin, {
    reason,
    detail: detailOf(reason, hook, raw.headers),
  });
}

/** What was refused, and why. */
type Refusal = {
  readonly reason: Extract<PushReason, ForgedReason | "too_large" | "malformed" | "other_repository">;
  readonly detail: string;
};

/** Counts a refused delivery in the ledger, and records an event once in an hour. */
export async function noteRefusal(
  { rows, ids, feeds }: Pick<OpenContext, "ids" | "feeds"> & { readonly rows: AccountRows },
  { id: hookId, accountId, forge, repository }: ReceivingHook,
  origin: Omit<LedgerOrigin, "hookId">,
  { reason, detail }: Refusal,
): Promise<void> {
  const row = unpushedRow(ids, { ...origin, hookId }, { decision: "refused", reason }, detail);
  const event: NewEvent = {
    id: ids.event(),
    type: "hook.refused",
    data: { hook: { id: hookId, forge, repository: maskRepository(repository) }, reason: detail },
    actor: SYSTEM,
    createdAt: origin.receivedAt,
  };
  const refused = { refusedAt: origin.receivedAt, refusedReason: reason };
  const recorded = changeWrites(rows, { event, audit: null });
  const counted = countedWrites(rows, row);
  const counts = await rows.runTogether([...counted, ...refusedWrites(rows, hookId, refused, recorded)]);
  if (counts[counted.length] === 1) await announce(feeds, accountId);
}
