import type { SupervisedInstance } from "#agent/apps/supervisor.ts";

/** The ends of an instance that the agent has observed, without those that it asked for. */
export type CrashHistory = {
  /** How often the instance had ended at the last check. */
  readonly ends: number;
  /** When it ended in the last minute, in milliseconds of the monotonic clock, as all times here. */
  readonly recent: readonly number[];
  /** Since when it was seen running without an end; `null`: it does not run, or was not seen yet. */
  readonly runsSince: number | null;
  readonly isLooping: boolean;
};

const WINDOW_MS = 60_000;
const MAX_ENDS = 5;

type Seen = Pick<SupervisedInstance, "state" | "restarts">;

/** The history of an instance that was just started. */
export const noCrashes: CrashHistory = { ends: 0, recent: [], runsSince: null, isLooping: false };

/** An instance is crash-looping after it ended five times within a minute, and until it has run for a minute. */
export function noticeCrashes(before: CrashHistory, now: Seen, at: number): CrashHistory {
  const ends = endsOf(now);
  const runsSince = now.state !== "running" ? null : ends === before.ends ? (before.runsSince ?? at) : at;
  const isSteady = runsSince !== null && at - runsSince >= WINDOW_MS;
  const more = Math.min(Math.max(0, ends - before.ends), MAX_ENDS);
  const times = [...before.recent, ...Array.from({ length: more }, () => at)];
  const recent = times.filter((time) => at - time < WINDOW_MS);
  const isLooping = !isSteady && (before.isLooping || recent.length >= MAX_ENDS);
  return { ends, recent, runsSince, isLooping };
}

/** How often an instance has ended by itself. */
export function endsOf({ state, restarts }: Seen): number {
  return restarts + (state === "restarting" ? 1 : 0);
}
