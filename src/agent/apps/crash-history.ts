import type { SupervisedInstance } from "#agent/apps/supervisor.ts";

/** When an instance ended by itself, as far as the agent saw it. */
export type CrashHistory = {
  /** How often it had ended at the last look. */
  readonly ends: number;
  /** The times of its ends in the last minute, in Unix milliseconds. */
  readonly recent: readonly number[];
  readonly isLooping: boolean;
};

const WINDOW_MS = 60_000;
const MAX_ENDS = 5;

type Look = Pick<SupervisedInstance, "state" | "startedAt" | "restarts">;

/**
 * An instance is crash-looping after it ended five times within a minute, and until it has lived for a minute.
 * @param before `null` at the first look
 */
export function noticeCrashes(before: CrashHistory | null, now: Look, at: number): CrashHistory {
  const ends = endsOf(now);
  const lived = now.state === "running" && now.startedAt !== null && at - now.startedAt >= WINDOW_MS;
  // Those before the first look may be old.
  const more = before === null ? 0 : Math.max(0, ends - before.ends);
  const times = [...(before?.recent ?? []), ...Array<number>(Math.min(more, MAX_ENDS)).fill(at)];
  const recent = times.filter((time) => at - time < WINDOW_MS);
  const isLooping = !lived && (before?.isLooping === true || recent.length >= MAX_ENDS);
  return { ends, recent, isLooping };
}

/** How often an instance has ended by itself. */
export function endsOf({ state, restarts }: Pick<Look, "state" | "restarts">): number {
  return restarts + (state === "restarting" ? 1 : 0);
}
