import type { SupervisedInstance } from "#agent/apps/supervisor.ts";

/** The ends of an instance that the agent has observed, without the ends that it asked for. */
export type CrashHistory = {
  /** How often the instance had ended at the last check. */
  readonly ends: number;
  /** When it ended in the last minute, in milliseconds of the monotonic clock, as all times here. */
  readonly recent: readonly number[];
  /** When it failed in the last half hour: an end with exit code 0 is none of these. */
  readonly failures: readonly number[];
  /** Since when it was seen running without an end; `null`: it does not run, or was not seen yet. */
  readonly runsSince: number | null;
  readonly isLooping: boolean;
  /** How often it had ended when it began crash-looping, and within how many milliseconds; `null`: unknown. */
  readonly loop: { readonly ends: number; readonly ms: number } | null;
  /** How long it must run to be crash-looping no longer. */
  readonly steadyMs: number;
};

const WINDOW_MS = 60_000;
const LONG_WINDOW_MS = 30 * 60_000;
const MAX_ENDS = 5;
const MAX_STEADY_MS = 15 * 60_000;

type Seen = Pick<SupervisedInstance, "state" | "restarts" | "lastExit">;

/** The history of an instance that was just started. */
export const noCrashes: CrashHistory = {
  ends: 0,
  recent: [],
  failures: [],
  runsSince: null,
  isLooping: false,
  loop: null,
  steadyMs: WINDOW_MS,
};

/**
 * An instance is crash-looping after five ends within a minute, and until it has run for a minute. It is also
 * crash-looping after five failures within half an hour, until it has run for twice the time between two of these
 * failures: an instance that fails every few minutes stays crash-looping, instead of recovering before each failure.
 */
export function noticeCrashes(before: CrashHistory, now: Seen, at: number): CrashHistory {
  const ends = endsOf(now);
  const runsSince = now.state !== "running" ? null : ends === before.ends ? (before.runsSince ?? at) : at;
  const more = Math.min(Math.max(0, ends - before.ends), MAX_ENDS);
  const times = Array.from({ length: more }, () => at);
  const recent = [...before.recent, ...times].filter((time) => at - time < WINDOW_MS).slice(-MAX_ENDS);
  const failures = [...before.failures, ...(isFailure(now) ? times : [])]
    .filter((time) => at - time < LONG_WINDOW_MS)
    .slice(-MAX_ENDS);
  if (before.isLooping) {
    if (runsSince === null || at - runsSince < before.steadyMs)
      return { ...before, ends, recent, failures, runsSince };
    return { ...noCrashes, ends, runsSince };
  }
  const found = [recent, failures].find(({ length }) => length >= MAX_ENDS) ?? null;
  if (found === null) return { ...before, ends, recent, failures, runsSince };
  const ms = at - (found[0] ?? at);
  const steadyMs = Math.min(Math.max(WINDOW_MS, (2 * ms) / (MAX_ENDS - 1)), MAX_STEADY_MS);
  // In a loop with growing pauses, the first ends came quickly after each other.
  const isFast = found === recent;
  return {
    ...{ ends, recent, failures, runsSince },
    isLooping: true,
    loop: { ends: found.length, ms },
    steadyMs: isFast ? WINDOW_MS : steadyMs,
  };
}

/** Workers that end after some work, to be started again, end with exit code 0. */
function isFailure({ lastExit }: Seen): boolean {
  return lastExit === null || lastExit.code !== 0 || lastExit.isOutOfMemory;
}

/** How often an instance has ended by itself. */
export function endsOf({ state, restarts }: Pick<Seen, "state" | "restarts">): number {
  return restarts + (state === "restarting" ? 1 : 0);
}
