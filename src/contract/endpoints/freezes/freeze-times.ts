import * as z from "zod/mini";

import { listBetween, textBetween, textLike } from "#contract/bounds.ts";

export const Weekday = z.enum(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]);
export type Weekday = z.infer<typeof Weekday>;

const TimeOfDay = textLike(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 16:00");

/**
 * When a freeze holds. `once`: between two instants. `weekly`: on these days from one time of day to another, in a time
 * zone of the IANA database; a `to` that is not after `from` is on the next day.
 */
export const FreezeTimes = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("once"), from: z.string(), to: z.string() }),
  z.strictObject({
    type: z.literal("weekly"),
    days: listBetween(Weekday, 1, 7),
    from: TimeOfDay,
    to: TimeOfDay,
    timezone: textBetween(1, 64),
  }),
]);
export type FreezeTimes = z.infer<typeof FreezeTimes>;
