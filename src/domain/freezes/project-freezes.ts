import * as z from "zod/mini";

import { FreezeTimes } from "#contract/endpoints/freezes/freeze-times.ts";
import { FreezeId } from "#contract/ids.ts";
import { freezeWindows, HORIZON_MS, mergeWindows } from "#domain/freezes/freeze-windows.ts";

/** A freeze as a lane knows it. */
export const FreezeRule = z.strictObject({ id: FreezeId, name: z.string(), times: FreezeTimes });
export type FreezeRule = z.infer<typeof FreezeRule>;

/**
 * The freezes that hold a project, as they were read from the database. `sequence`: the number of the account's newest
 * event at that time. Each change of a freeze is an event, so of two readings, the higher number is newer.
 */
const ReadFreezes = z.strictObject({ sequence: z.int(), rules: z.array(FreezeRule) });
export type ReadFreezes = z.infer<typeof ReadFreezes>;

/** The freezes that a lane knows. `readAt`: when it got them, in Unix milliseconds. */
export const KnownFreezes = z.extend(ReadFreezes, { readAt: z.number() });
export type KnownFreezes = z.infer<typeof KnownFreezes>;

export const noFreezes: KnownFreezes = { sequence: 0, rules: [], readAt: 0 };

/** The newer of two readings. A request can reach the lane after a request that has read a later state. */
export function newerFreezes(known: KnownFreezes, read: ReadFreezes, now: number): KnownFreezes {
  return read.sequence >= known.sequence ? { ...read, readAt: now } : known;
}

/** The freeze that holds now. `until`: when the last freeze of the project has ended, in Unix milliseconds. */
export type CurrentFreeze = { readonly freeze: FreezeRule; readonly until: number };

/** Which freeze holds a project at this time: of several, the freeze that ends last. Null: none. */
export function currentFreeze({ rules }: ReadFreezes, now: number): CurrentFreeze | null {
  // Rounded, so that the end of a freeze that never ends changes once a day only.
  const horizon = Math.ceil((now + HORIZON_MS) / DAY_MS) * DAY_MS;
  const found = rules.map((freeze) => ({ freeze, windows: freezeWindows(freeze.times, now, horizon) }));
  const merged = mergeWindows(found.flatMap(({ windows }) => windows));
  const window = merged.find(({ from, until }) => from <= now && now < until);
  if (window === undefined) return null;
  const endOf = ({ windows }: (typeof found)[number]) =>
    windows.find(({ from, until }) => from <= now && now < until)?.until ?? 0;
  const longest = found.reduce((longer, one) => (endOf(one) > endOf(longer) ? one : longer));
  return { freeze: longest.freeze, until: window.until };
}

const DAY_MS = 24 * 60 * 60_000;
