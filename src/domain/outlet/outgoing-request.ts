import * as z from "zod/mini";

import type { Event } from "#contract/endpoints/events/schemas.ts";
import type { WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";

/**
 * A request to a target. `coalesce`: of the waiting deliveries whose first requests have the same key, only the newest is
 * sent; null: each is sent. `acceptedProblem`: a text in the body of an answer with the status 400 that counts as 2xx.
 */
export type OutgoingRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly coalesce: string | null;
  readonly acceptedProblem: string | null;
};

/** The target's answer to a request of a delivery. `body`: its first 4 KiB. */
export type TargetAnswer = { readonly status: number; readonly body: string };

/** How a project's last deployment ended, as it was reported to a target. `live` is also a server that is connected. */
export const AttemptOutcome = z.enum(["live", "failed"]);
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

/** Values that a kind of webhook keeps from earlier answers, by keys of its own. An entry is kept for 30 days. */
export type OutletMemory = Readonly<Record<string, string>>;

/** The input from which a kind of webhook makes its requests. The same input always gives the same request. */
export type DeliveryInput<Settings extends WebhookSettings = WebhookSettings> = {
  readonly event: Event;
  readonly settings: Settings;
  /** The address of this installation, such as `https://gantry.example.com`. */
  readonly origin: string;
  /** The last outcome of the project or server that was reported to this target before this event; null: none. */
  readonly outcomeBefore: AttemptOutcome | null;
  readonly memory: OutletMemory;
  /** The answers to the requests of this attempt so far. All are 2xx. */
  readonly answers: readonly TargetAnswer[];
};
