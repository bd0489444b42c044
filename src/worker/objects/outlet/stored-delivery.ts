import * as z from "zod/mini";

import { Event } from "#contract/endpoints/events/schemas.ts";
import { DeliveryState } from "#contract/endpoints/webhooks/kinds.ts";
import { ProjectId } from "#contract/ids.ts";
import { AttemptOutcome } from "#domain/outlet/outgoing-request.ts";
import type { ProjectSelection } from "#domain/outlet/selection.ts";

/** Times are Unix milliseconds. As `DeliveryAttempt` in the API. */
export const StoredAttempt = z.strictObject({
  at: z.number(),
  status: z.nullable(z.int()),
  durationMs: z.number(),
  problem: z.nullable(z.string()),
  answer: z.string(),
});
export type StoredAttempt = z.infer<typeof StoredAttempt>;

/** `sending` is never stored: an attempt whose object dies is made again. */
export const StoredDelivery = z.strictObject({
  seq: z.int(),
  event: Event,
  /** The projects that it is about (`aboutProjects`); null: the whole account. */
  projects: z.nullable(z.array(ProjectId)),
  coalesce: z.nullable(z.string()),
  outcomeBefore: z.nullable(AttemptOutcome),
  state: DeliveryState,
  dueAt: z.nullable(z.number()),
  /** The attempts since it was last due from the start: a delivery that is sent again has all attempts again. */
  tries: z.int(),
  attemptCount: z.int(),
  attempts: z.array(StoredAttempt),
});
export type StoredDelivery = z.infer<typeof StoredDelivery>;

export type NewDelivery = Pick<StoredDelivery, "event" | "coalesce" | "outcomeBefore" | "state" | "dueAt"> & {
  readonly projects: ProjectSelection;
};
