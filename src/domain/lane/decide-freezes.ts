import { newerFreezes, type ReadFreezes } from "#domain/freezes/project-freezes.ts";
import type { Decision } from "#domain/lane/decision.ts";
import type { Lane } from "#domain/lane/lane.ts";
import { advance } from "#domain/lane/transitions.ts";

/**
 * Takes over the freezes that were read from the database, and offers deployments that are no longer held. @param
 * replaces the lane's own number when a read of the database began that is certainly up to date: the read counts also
 * if its number is lower, because the database was restored. Null: the higher number counts.
 */
export function decideFreezes(lane: Lane, read: ReadFreezes, replaces: number | null, now: number): Decision {
  const isFresh = replaces === lane.freezes.sequence;
  const freezes = isFresh ? { ...read, readAt: now } : newerFreezes(lane.freezes, read, now);
  return advance({ ...lane, freezes }, now);
}
