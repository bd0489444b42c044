import * as z from "zod/mini";

import { textBetween, textUpTo, wholeFrom } from "#contract/bounds.ts";

/** What visitors read during maintenance, as plain text. */
export const MaintenanceMessage = textBetween(1, 500);

/** Turns maintenance on or off. `message`: for visitors; null or omitted: a general one. */
export const SetMaintenanceInput = z.strictObject({
  on: z.boolean(),
  message: z.optional(z.nullable(MaintenanceMessage)),
});
export type SetMaintenanceInput = z.infer<typeof SetMaintenanceInput>;

/** Maintenance that is on. `started_at`: when it was last turned on, or got another message. */
export const Maintenance = z.strictObject({
  message: z.nullable(MaintenanceMessage),
  started_at: z.string(),
});
export type Maintenance = z.infer<typeof Maintenance>;

/**
 * `maintenance`: null: off. `applied`: whether the project's server has done it. `detail`: why it has not, as a sentence.
 */
export const MaintenanceSet = z.strictObject({
  maintenance: z.nullable(Maintenance),
  applied: z.boolean(),
  detail: z.nullable(z.string()),
});
export type MaintenanceSet = z.infer<typeof MaintenanceSet>;

/**
 * The maintenance that a server must have. A greater `revision` is newer: Unix milliseconds, or the revision before
 * plus one. A message that arrives late or twice changes nothing.
 */
export const MaintenanceState = z.strictObject({
  revision: wholeFrom(1),
  on: z.boolean(),
  message: z.nullable(textUpTo(500)),
});
export type MaintenanceState = z.infer<typeof MaintenanceState>;
