import * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";
import { storedAs } from "#contract/stored.ts";
import type { Database } from "#worker/db/database-session.ts";
import { findSweeps, saveSweep } from "#worker/db/schedule/sweep-position.ts";
import type { Part } from "#worker/schedule/part.ts";

/** The time between two runs can be a little shorter than the cron trigger says. */
const JITTER_MS = 2 * 60 * 1000;

const Round = z.strictObject({
  startedAt: z.number(),
  since: z.number(),
  failures: z.int(),
  next: z.nullable(z.string()),
});
const storedRound = storedAs(Round);

/** A round of a part, in D1. `since` and `next`: as in `Step` and `Stepped`. */
export type Round = Readonly<z.infer<typeof Round>>;

/** The last round of each part, by name. One statement. */
export async function findRounds(database: Database): Promise<ReadonlyMap<string, Round>> {
  const rounds = new Map<string, Round>();
  for (const { name, position } of await findSweeps(database)) {
    // A round in another form begins again.
    const round = storedRound.safeParse(parseJson(position));
    if (round.success) rounds.set(name, round.data);
  }
  return rounds;
}

/** The round to continue or to begin; null: none is due. */
export function dueRound({ everyMs }: Part, last: Round | null, now: number): Round | null {
  if (last === null) return { startedAt: now, since: 0, failures: 0, next: null };
  if (last.next !== null) return last;
  if (now < last.startedAt + everyMs - JITTER_MS) return null;
  const since = last.failures === 0 ? last.startedAt : last.since;
  return { startedAt: now, since, failures: 0, next: null };
}

export async function saveRound(database: Database, { name }: Part, round: Round): Promise<void> {
  await saveSweep(database, name, JSON.stringify(round));
}
